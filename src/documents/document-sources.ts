import { isObject, must, record } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { lookUpByDns, lookUpBySystem } from './addresses'
import type { FetchGuard, FetchMetadataDocumentHook } from './guarded-fetch'

/**
 * Where the library fetches metadata documents: nowhere (`false`), at port 443 of public addresses (`true`), there and on this machine
 * (`'with-loopback'`), or at other ports of public addresses.
 */
export type DocumentSources = boolean | 'with-loopback' | { ports: readonly number[] }

/** Checks the option `clients.documents`. */
export function documentSources(given: unknown, name: string): DocumentSources {
  if (isObject(given)) return portList(given, name)
  if (given === 'with-loopback' && process.env.NODE_ENV === 'production') {
    throw new ConfigurationError(name, given, 'true, false or { ports } in production (NODE_ENV)', { quotes: true })
  }
  return must<DocumentSources>(
    "true, false, 'with-loopback' or { ports }",
    (value) => [true, false, 'with-loopback'].includes(value as boolean),
    { quotes: true },
  )(given, name)
}

const portList = record({
  ports: must<readonly number[]>(
    'an array of ports, at least one, each a whole number from 1 to 65535',
    (given) =>
      Array.isArray(given) &&
      given.length > 0 &&
      given.every((port) => Number.isInteger(port) && port >= 1 && port <= 65_535),
  ),
})

/** How documents and keys are fetched: registered clients and the tenants' own have keys even where documents are off. */
export function fetchGuard(sources: DocumentSources, byHost: FetchMetadataDocumentHook | undefined): FetchGuard {
  const allowLoopback = sources === 'with-loopback'
  // Only the hosts file of this machine may have the name of a server on it.
  const lookUp = allowLoopback ? lookUpBySystem : lookUpByDns()
  return { allowLoopback, ports: typeof sources === 'object' ? sources.ports : [443], lookUp, byHost }
}
