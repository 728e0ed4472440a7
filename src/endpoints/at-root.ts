import type { IncomingMessage } from 'node:http'
import { removeCors, sendResponse } from '../http/responses'
import type { Endpoint } from './endpoint'

/**
 * Whether a request at the root of a company's own domain is for its sign-in. There look clients that know only the domain: they have forgotten
 * the metadata, or never read any (MCP 2025-03-26, "Fallbacks for Servers without Metadata Discovery"). Everything else there is the host's own.
 */
export const isMeantAtRoot: Readonly<Record<string, (req: IncomingMessage) => boolean>> = {
  '/token': (req) => req.method === 'POST' && isOfType(req, 'application/x-www-form-urlencoded'),
  '/register': (req) => req.method === 'POST' && isOfType(req, 'application/json'),
  '/authorize': ({ method, url = '' }) => {
    const query = new URLSearchParams(url.split(/\?(.*)/s)[1])
    return method === 'GET' && query.has('client_id') && query.has('response_type')
  },
  '/.well-known/openid-configuration': ({ method }) => method === 'GET' || method === 'HEAD',
}

/** Sends the browser on to the endpoint that the metadata names, with the same query. */
export const authorizeAtRoot: Endpoint = async ({ req, res, tenant }) => {
  removeCors(res)
  const query = /\?.*/s.exec(req.url ?? '')?.[0] ?? ''
  const location = `${tenant.address.endpoints}/authorize${query}`
  sendResponse(res, 303, { Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
}

function isOfType({ headers }: IncomingMessage, mediaType: string): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  return type.trim().toLowerCase() === mediaType
}
