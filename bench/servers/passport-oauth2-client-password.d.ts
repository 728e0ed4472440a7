// The package has no types of its own.
declare module 'passport-oauth2-client-password' {
  import type { Request } from 'express'
  import type { Strategy } from 'passport'

  type Done = (error: unknown, client?: Express.User | false) => void

  class ClientPasswordStrategy implements Strategy {
    constructor(verify: (clientId: string, clientSecret: string, done: Done) => void)
    authenticate(req: Request): void
  }

  export = ClientPasswordStrategy
}
