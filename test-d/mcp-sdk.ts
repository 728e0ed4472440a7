// The types of this library fit those of the MCP SDK, in the versions that the tests run.
import type { AuthInfo as AuthInfo2, ServerContext as ServerContext2 } from '@modelcontextprotocol/client'
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js'
import type { AccessTokenInfo, CustomerSignIn } from 'customer-sign-in'
import { InvalidTokenError as InvalidTokenError117 } from 'mcp-sdk-1.17.0/server/auth/errors.js'
import { requireBearerAuth as requireBearerAuth117 } from 'mcp-sdk-1.17.0/server/auth/middleware/bearerAuth.js'
import type { AuthInfo as AuthInfo117 } from 'mcp-sdk-1.17.0/server/auth/types.js'

declare const signIn: CustomerSignIn
declare const info: AccessTokenInfo

export const authInfo: [AuthInfo, AuthInfo117, AuthInfo2] = [info, info, info]

// What the SDK calls a tool with says who is calling. A tool of SDK 2 gets its `ServerContext`.
export const who = (extra: RequestHandlerExtra<ServerRequest, ServerNotification>) => signIn.auth(extra).subject
export const who2 = (ctx: ServerContext2) => signIn.auth(ctx).subject

const invalidToken = (description: string) => new InvalidTokenError(description)

requireBearerAuth({ verifier: signIn.verifier({ tenantKey: 'acme', invalidToken }), requiredScopes: ['profile'] })

requireBearerAuth117({
  verifier: signIn.verifier({
    tenantKey: 'acme',
    resource: 'https://api.example/mcp',
    checkRevocation: true,
    invalidToken: (description) => new InvalidTokenError117(description),
  }),
})

// @ts-expect-error `invalidToken` is required: the SDK recognises a bad token by its own error class.
signIn.verifier({ tenantKey: 'acme' })

// @ts-expect-error `invalidToken` must be a function that makes an error, not the class.
signIn.verifier({ tenantKey: 'acme', invalidToken: InvalidTokenError })

// @ts-expect-error A tenant must be named.
signIn.verifier({ invalidToken })

// @ts-expect-error A verifier is for one tenant.
signIn.verifier({ anyTenant: true, invalidToken })

// @ts-expect-error The SDK itself checks the scopes, with `requiredScopes`.
signIn.verifier({ tenantKey: 'acme', invalidToken, scopes: 'profile' })
