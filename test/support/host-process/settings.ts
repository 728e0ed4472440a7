import type { CustomerSignInEvent, TrustedIssuer } from 'customer-sign-in'
import type { RedisTokenStoreOptions } from 'customer-sign-in/redis'
import type { TestOptions } from '../test-options'

/** The settings of a host process, as JSON in its environment. */
export interface HostSettings {
  redis?: { port: number; maxRetriesPerRequest?: number } | { cluster: { host: string; port: number }[] }
  /** In place of `redis`. */
  postgres?: { port: number }
  /** In place of both, for a process that is alone. */
  inMemory?: boolean
  /** Options of the store on Redis. */
  store?: RedisTokenStoreOptions
  /** Seconds that its clock is ahead of the true time. Default 0. */
  clockOffset?: number
  signIn?: Pick<TestOptions, 'hostTimeout' | 'refreshRetryWindow' | 'replayTolerance' | 'baseUrl' | 'clients'>
  /** The issuers that its company trusts. */
  trustedIssuers?: TrustedIssuer[]
  /** The path of an MCP server for every tenant. It checks at each request whether the grant still lives. */
  mcpPath?: string
  /** PEM, the same in every process. */
  signingKey: string
  /** The same in every process. */
  credentialSecret: string
}

/** The messages of a host process to the test. */
export type HostMessage = { url: string } | { event: CustomerSignInEvent['type']; error?: string }
