"""Serves one Python snippet as the client's app: python3 serve.py <file of the snippet> <port> <API of the host>."""

import importlib.util
import json
import sys
import traceback
from http.server import BaseHTTPRequestHandler, HTTPServer

import requests

file, port, api = sys.argv[1:]
spec = importlib.util.spec_from_file_location('snippet', file)
snippet = importlib.util.module_from_spec(spec)
spec.loader.exec_module(snippet)

session = {}
tokens = {}


def call_api():
    return requests.get(api, headers={'Authorization': 'Bearer ' + tokens['access_token']}).json()


class App(BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            if self.path == '/login':
                self.send_response(302)
                self.send_header('Location', snippet.login(session))
                self.end_headers()
                return
            if self.path == '/refresh':
                tokens.update(snippet.refresh(tokens))
            else:
                # As if the app were at an https address, behind a proxy: both libraries insist on that.
                tokens.update(snippet.callback('https://app.example' + self.path, session))
            self.answer(200, json.dumps(call_api()))
        except Exception:
            self.answer(500, traceback.format_exc())

    def answer(self, status, text):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


server = HTTPServer(('127.0.0.1', int(port)), App)
print('ready', flush=True)
server.serve_forever()
