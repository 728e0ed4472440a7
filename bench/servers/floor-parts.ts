import { hash, type KeyObject } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { raw } from 'body-parser'
import { sign } from 'jsonwebtoken'
import { fastestHmac, newKey } from './fastest'

/** How a floor does its steps. */
export interface Parts {
  bodyOf(req: IncomingMessage, res: ServerResponse): Promise<string>
  jwt(claims: object, key: KeyObject): string
  /** Computes anything else that a token needs. */
  digests(token: string): void
}

const readBytes = raw({ type: () => true, limit: 16 * 1024 })
const header = { alg: 'ES256', typ: 'at+jwt', kid: 'floor' }
const [chainKey, tagKey] = [newKey(), newKey()]

/**
 * The libraries that customer-sign-in uses, and as many digests as its credential chain takes: the grant's id, the hash of the
 * presented credential, its successor, the hash of the successor, and the tag.
 */
export const partsOfOurs: Parts = {
  bodyOf(req: IncomingMessage & { body?: Buffer }, res) {
    return new Promise((resolve, reject) => {
      readBytes(req, res, (error) => (error ? reject(error) : resolve(String(req.body))))
    })
  },
  jwt: (claims, key) => sign(JSON.stringify(claims), key, { algorithm: 'ES256', header }),
  digests(token) {
    hash('sha256', token, 'base64url')
    hash('sha256', token, 'base64url')
    const next = fastestHmac(chainKey, token)
    hash('sha256', next, 'base64url')
    fastestHmac(tagKey, next)
  },
}
