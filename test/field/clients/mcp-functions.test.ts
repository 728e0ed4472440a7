import * as sdk2 from '@modelcontextprotocol/client'
import * as sdk1 from '@modelcontextprotocol/sdk/client/auth.js'
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/sdk/shared/auth.js'
import * as sdk117 from 'mcp-sdk-1.17.0/client/auth.js'
import { CompanyHost } from '../../support/company-host'
import { clientId, redirectUri } from '../../support/sign-in'
import { type ClientTokens, type ClientUnderTest, staysSignedIn } from './stays-signed-in'

/** The functions that every version has. */
interface Call {
  metadata: AuthorizationServerMetadata
  clientInformation: { client_id: string }
  resource: URL
}
interface McpFunctions {
  discoverOAuthProtectedResourceMetadata(api: string): Promise<{ resource: string; authorization_servers?: string[] }>
  discoverAuthorizationServerMetadata(issuer: string): Promise<AuthorizationServerMetadata | undefined>
  startAuthorization(
    issuer: string,
    options: Call & { redirectUrl: string; state: string; scope: string },
  ): Promise<{ authorizationUrl: URL; codeVerifier: string }>
  exchangeAuthorization(
    issuer: string,
    options: Call & { authorizationCode: string; codeVerifier: string; redirectUri: string; iss?: string },
  ): Promise<ClientTokens>
  refreshAuthorization(issuer: string, options: Call & { refreshToken: string }): Promise<ClientTokens>
}

function mcpClient(sdk: McpFunctions, { checksIssuer }: { checksIssuer: boolean }): ClientUnderTest {
  return {
    async start(issuer, api) {
      const { resource } = await sdk.discoverOAuthProtectedResourceMetadata(api)
      const metadata = await sdk.discoverAuthorizationServerMetadata(issuer)
      if (!metadata) throw new Error('nothing discovered')
      const call: Call = { metadata, clientInformation: { client_id: clientId }, resource: new URL(resource) }
      const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(issuer, {
        ...call,
        redirectUrl: redirectUri,
        state: 'a state',
        scope: 'profile',
      })
      return {
        authorizationUrl,
        exchange: ({ searchParams }) =>
          sdk.exchangeAuthorization(issuer, {
            ...call,
            authorizationCode: searchParams.get('code') ?? '',
            iss: searchParams.get('iss') ?? undefined,
            codeVerifier,
            redirectUri,
          }),
        refresh: (refreshToken) => sdk.refreshAuthorization(issuer, { ...call, refreshToken }),
      }
    },
    checksIssuer,
    errorCode(thrown) {
      // SDK 1 calls it errorCode, SDK 2 code.
      const { errorCode, code } = thrown as { errorCode?: string; code?: string }
      return errorCode ?? code ?? String(thrown)
    },
  }
}

describe('the functions of the MCP SDK 1.17.0', () => staysSignedIn(mcpClient(sdk117, { checksIssuer: false })))

describe('the functions of the newest MCP SDK 1', () => staysSignedIn(mcpClient(sdk1, { checksIssuer: false })))

describe('the functions of the MCP SDK 2', () => staysSignedIn(mcpClient(sdk2, { checksIssuer: true })))

describe('the older discovery function of the MCP SDK', () => {
  it.each([
    ['1.17.0', sdk117],
    ['newest 1', sdk1],
    ['2', sdk2],
  ])('%s finds the same metadata', async (_version, sdk) => {
    const host = await CompanyHost.start()
    try {
      const metadata = await sdk.discoverOAuthMetadata(host.issuer)
      expect(metadata).toMatchObject({ issuer: host.issuer, token_endpoint: `${host.issuer}/token` })
    } finally {
      await host.stop()
    }
  })
})
