package main

// Serves the Go snippet as the client's app: <program> <port> <API of the host>.

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"golang.org/x/oauth2"
)

func main() {
	port, api := os.Args[1], os.Args[2]
	state, verifier := "a state", "a-verifier-of-43-characters-at-the-very-least-0"
	var token *oauth2.Token

	answer := func(w http.ResponseWriter, r *http.Request, issued *oauth2.Token, err error) {
		if err != nil {
			http.Error(w, err.Error(), 500)
			return
		}
		token = issued
		request, _ := http.NewRequest("GET", api, nil)
		token.SetAuthHeader(request)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			http.Error(w, err.Error(), 500)
			return
		}
		var body any
		json.NewDecoder(response.Body).Decode(&body)
		json.NewEncoder(w).Encode(body)
	}
	http.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, login(state, verifier), 302)
	})
	http.HandleFunc("/callback", func(w http.ResponseWriter, r *http.Request) {
		issued, err := callback(r.Context(), r.URL.Query().Get("code"), verifier)
		answer(w, r, issued, err)
	})
	http.HandleFunc("/refresh", func(w http.ResponseWriter, r *http.Request) {
		token.Expiry = time.Now().Add(-time.Second)
		issued, err := refresh(r.Context(), token)
		answer(w, r, issued, err)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		panic(err)
	}
	fmt.Println("ready")
	http.Serve(listener, nil)
}
