import { Auth } from '@auth/core'

const issuer = 'https://your.host/v1/acme/oauth'

export const config = {
  basePath: '/auth',
  secret: process.env.AUTH_SECRET,
  trustHost: true,
  providers: [
    {
      id: 'acme',
      name: 'Acme',
      type: 'oauth',
      issuer,
      clientId: 'web-app',
      client: { token_endpoint_auth_method: 'none' },
      checks: ['pkce', 'state'],
      authorization: { url: `${issuer}/authorize`, params: { scope: 'profile' } },
      token: `${issuer}/token`,
      userinfo: 'https://your.host/v1/acme/bookings',
      profile: ({ subject }) => ({ id: subject, name: subject }),
    },
  ],
  callbacks: {
    async jwt({ token, account }) {
      if (account) await save(account)
      return token
    },
  },
}

export const handler = (request) => Auth(request, config)
