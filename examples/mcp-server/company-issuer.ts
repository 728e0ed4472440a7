import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import jwt from 'jsonwebtoken'

/** Whom an assertion is about, and for whom it is. */
export interface Assertion {
  person: string
  clientId: string
  /** The issuer at which the client presents it. */
  audience: string
  resource: string
  scope?: string | undefined
}

/**
 * Stands for the identity provider of a company, such as Okta or Entra. A real one asks its people to log in, and decides which clients may act
 * for whom. This one says yes to everything.
 */
export class CompanyIssuer {
  readonly issuer: string
  readonly #server: Server
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  private constructor(server: Server) {
    this.#server = server
    this.issuer = `http://localhost:${(server.address() as AddressInfo).port}`
    const answers: Record<string, object> = {
      '/.well-known/openid-configuration': { issuer: this.issuer, jwks_uri: `${this.issuer}/keys` },
      '/keys': { keys: [this.#keys.publicKey.export({ format: 'jwk' })] },
    }
    server.on('request', (req, res) => {
      const answer = answers[String(req.url)]
      res.writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer ?? {}))
    })
  }

  static async listen(): Promise<CompanyIssuer> {
    const server = createServer().listen(0, 'localhost')
    await once(server, 'listening')
    return new CompanyIssuer(server)
  }

  /** Says that one of its people lets a client act for them (Identity Assertion JWT Authorization Grant). */
  assertion({ person, clientId, audience, resource, scope }: Assertion): string {
    return jwt.sign({ client_id: clientId, resource, scope, email: person }, this.#keys.privateKey, {
      header: { alg: 'ES256', typ: 'oauth-id-jag+jwt' },
      issuer: this.issuer,
      subject: randomUUID(),
      audience,
      jwtid: randomUUID(),
      expiresIn: 300,
    })
  }

  close(): void {
    this.#server.close().closeAllConnections()
  }
}
