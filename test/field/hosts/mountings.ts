import type { WireClient } from '../../support/wire-client'

/** A host under test: a framework with sign-in, an API of every company, and pages of its own. */
export interface ServedHost {
  /** Its address, without a path. */
  origin: string
  /** Makes a client of it, with a connection of its own. */
  connect(): WireClient
  stop(): Promise<void>
}

/** How sign-in is mounted, and the addresses of its metadata. */
export interface Mounting {
  name: string
  prefix: string
  /** Whether `baseUrl` is set, or taken from the requests. */
  configured: boolean
  /** The addresses of the metadata, below the host's root. */
  metadata: string[]
}

const wellKnown = '/.well-known/oauth-authorization-server'
const atRoot = { prefix: '', metadata: [`${wellKnown}/v1/acme/oauth`, `/v1/acme/oauth${wellKnown}`] }
const underPrefix = {
  prefix: '/auth',
  metadata: [`${wellKnown}/auth/v1/acme/oauth`, `/auth/v1/acme/oauth${wellKnown}`, `/auth${wellKnown}/v1/acme/oauth`],
}

export const mountings = {
  atRoot: { name: 'at the root', configured: true, ...atRoot },
  atRootUnconfigured: { name: 'at the root, baseUrl taken from the requests', configured: false, ...atRoot },
  underPrefix: { name: 'under a prefix', configured: true, ...underPrefix },
  underPrefixUnconfigured: {
    name: 'under a prefix, baseUrl taken from the requests',
    configured: false,
    ...underPrefix,
  },
} satisfies Record<string, Mounting>
