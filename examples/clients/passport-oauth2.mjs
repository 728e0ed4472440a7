import express from 'express'
import session from 'express-session'
import passport from 'passport'
import OAuth2Strategy from 'passport-oauth2'

const issuer = 'https://your.host/v1/acme/oauth'
const strategy = new OAuth2Strategy(
  {
    authorizationURL: `${issuer}/authorize`,
    tokenURL: `${issuer}/token`,
    clientID: 'web-app',
    clientSecret: '',
    callbackURL: 'https://app.example/callback',
    scope: 'profile',
    pkce: true,
    state: true,
  },
  (_accessToken, refreshToken, params, _profile, done) => done(null, { ...params, refresh_token: refreshToken }),
)
passport.use('acme', strategy)

export const app = express()
app.use(session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false }))
app.get('/login', passport.authenticate('acme'))
app.get('/callback', passport.authenticate('acme', { session: false }), async (req, res) => {
  await save(req.user)
  res.json(await callApi(req.user.access_token))
})
