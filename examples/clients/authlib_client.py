from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session

issuer = 'https://your.host/v1/acme/oauth'


def client(**more):
    return OAuth2Session(
        'web-app',
        redirect_uri='https://app.example/callback',
        scope='profile',
        code_challenge_method='S256',
        token_endpoint_auth_method='none',
        **more,
    )


def login(session):
    session['verifier'] = generate_token(48)
    url, session['state'] = client().create_authorization_url(
        issuer + '/authorize', code_verifier=session['verifier']
    )
    return url


def callback(url, session):
    return client(state=session['state']).fetch_token(
        issuer + '/token', authorization_response=url, code_verifier=session['verifier']
    )


def refresh(tokens):
    return client(token=tokens).refresh_token(issuer + '/token')
