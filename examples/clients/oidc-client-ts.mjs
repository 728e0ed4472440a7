import { UserManager } from 'oidc-client-ts'

const users = new UserManager({
  authority: 'https://your.host/v1/acme/oauth',
  metadataUrl: 'https://your.host/.well-known/oauth-authorization-server/v1/acme/oauth',
  client_id: 'web-app',
  redirect_uri: 'https://app.example/callback',
  scope: 'profile', // the default is `openid`
})

export const login = () => users.signinRedirect()
export const callback = () => users.signinRedirectCallback()
export const refresh = () => users.signinSilent()
