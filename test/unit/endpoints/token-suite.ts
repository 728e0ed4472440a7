import { started } from '../../support/started'
import { accessTokenClaims } from './token/access-token-claims'
import { clientRules } from './token/client-rules'
import { clients } from './token/clients'
import { lifetimes } from './token/lifetimes'
import { oneRoundTrip } from './token/one-round-trip'
import { refusals } from './token/refusals'
import { registeredClients } from './token/registered-clients'
import { repeatedCodes } from './token/repeated-codes'
import { resources } from './token/resources'
import { responses } from './token/responses'
import { scopes } from './token/scopes'
import type { CreateTokenStore, Start } from './token/start'
import { storeFaults } from './token/store-faults'
import { tenants } from './token/tenants'

/**
 * What a client can rely on at `POST I/token`, with any store.
 *
 * @param createTokenStore Gives the store to test with. It is called once for each test. Stores may share their contents.
 */
export function tokenEndpointSuite(createTokenStore: CreateTokenStore): void {
  const start: Start = async (options) =>
    started({ ...options, tokenStore: options?.tokenStore ?? (await createTokenStore()) })

  describe('a token response', () => responses(start))
  describe('a token request that is refused', () => refusals(start))
  describe('a client', () => clients(start))
  describe('a rule about clients', () => clientRules(start))
  describe('a registered client', () => registeredClients(start, createTokenStore))
  describe('scope', () => scopes(start))
  describe('resource', () => resources(start))
  describe('a lifetime', () => lifetimes(start))
  describe('a tenant', () => tenants(start))
  describe('accessTokenClaims', () => accessTokenClaims(start))
  describe('a store that fails', () => storeFaults(start, createTokenStore))
  describe('a code that comes again', () => repeatedCodes(start, createTokenStore))
  describe('a redemption', () => oneRoundTrip(start, createTokenStore))
}
