package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"

	"golang.org/x/oauth2"
)

const issuer = "https://your.host/v1/acme/oauth"

var config = &oauth2.Config{
	ClientID:    "web-app",
	RedirectURL: "https://app.example/callback",
	Scopes:      []string{"profile"},
	Endpoint: oauth2.Endpoint{
		AuthURL:   issuer + "/authorize",
		TokenURL:  issuer + "/token",
		AuthStyle: oauth2.AuthStyleInParams,
	},
}

// Both texts are random, and are kept in the session: 32 bytes in base64url for the verifier.
func login(state, verifier string) string {
	digest := sha256.Sum256([]byte(verifier))
	challenge := base64.RawURLEncoding.EncodeToString(digest[:])
	return config.AuthCodeURL(state,
		oauth2.SetAuthURLParam("code_challenge", challenge),
		oauth2.SetAuthURLParam("code_challenge_method", "S256"))
}

// Compare the state with that of the session first.
func callback(ctx context.Context, code, verifier string) (*oauth2.Token, error) {
	return config.Exchange(ctx, code, oauth2.SetAuthURLParam("code_verifier", verifier))
}

// Refreshes if the access token has expired. Store the token that is returned: its refresh token is another.
func refresh(ctx context.Context, token *oauth2.Token) (*oauth2.Token, error) {
	return config.TokenSource(ctx, token).Token()
}
