import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { DocumentServer } from '../../support/document-server'
import type { Assistant } from './assistant'

/** The key with which players sign. */
export const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const keySet = { keys: [createPublicKey(privateKey).export({ format: 'jwk' })] }

/** Publishes the metadata document of an assistant and its keys, each at its path. */
export function publishing({ plays: { document } }: Assistant): (server: DocumentServer) => RequestListener {
  return (server) => (req, res) => {
    const answer = (status: number, body: object) =>
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    if (!document || !req.url) return answer(404, {})
    const { path, members, jwksPath } = document
    if (req.url === jwksPath) return answer(200, keySet)
    if (req.url !== path) return answer(404, {})
    const keys = jwksPath === undefined ? {} : { jwks_uri: server.url(jwksPath) }
    return answer(200, { ...members, ...keys, client_id: server.url(path) })
  }
}
