import base64
import hashlib
import secrets

from requests_oauthlib import OAuth2Session

issuer = 'https://your.host/v1/acme/oauth'


def client(**more):
    return OAuth2Session('web-app', redirect_uri='https://app.example/callback', scope=['profile'], **more)


def login(session):
    session['verifier'] = secrets.token_urlsafe(32)
    digest = hashlib.sha256(session['verifier'].encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b'=').decode()
    url, session['state'] = client().authorization_url(
        issuer + '/authorize', code_challenge=challenge, code_challenge_method='S256'
    )
    return url


def callback(url, session):
    return client(state=session['state']).fetch_token(
        issuer + '/token',
        authorization_response=url,
        code_verifier=session['verifier'],
        include_client_id=True,
    )


def refresh(tokens):
    return client(token=tokens).refresh_token(issuer + '/token', client_id='web-app')
