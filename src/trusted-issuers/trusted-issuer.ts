import {
  type Check,
  distinct,
  duration,
  isObject,
  listOf,
  must,
  mustBeText,
  notEmpty,
  nullable,
  oneOf,
  record,
  resource,
  scopeToken,
  text,
} from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import {
  type AssertionAlgorithm,
  assertionAlgorithms,
  isAssertionAlgorithm,
  isKeySetUrl,
} from '../protocol/json-web-keys'
import { isClientId } from '../protocol/registered-id'
import { asParsed } from '../protocol/resource'
import { sharedIssuers } from './shared-issuers'

/** What an assertion must say: for each claim the values of which it has one. */
type PinnedClaims = Readonly<Record<string, readonly (string | number | boolean)[]>>

/** As `subject`, in place of the claim that names the customer: the host's option `customerOf` finds the customer. */
export const byHost = 'customerOf'

const defaultMaxAge = 600_000

// Each is fetched in slots that all companies share.
const maxIssuers = 20
const maxIssuerLength = 512

const issuer = mustBeText(
  `an https address, or an http address on loopback, of at most ${maxIssuerLength} ASCII characters, without query and fragment`,
  (given) =>
    isKeySetUrl(given, { allowLoopback: true }) &&
    /^[!-~]+$/.test(given) &&
    !given.includes('?') &&
    given.length <= maxIssuerLength,
)

const keySetUrl = mustBeText('an https address, or an http address on loopback', (given) =>
  isKeySetUrl(given, { allowLoopback: true }),
)

const algorithm = must<AssertionAlgorithm>(assertionAlgorithms.join(', '), isAssertionAlgorithm, { quotes: true })

const claimValue = must<string | number | boolean>(
  'a text that is not empty, a number, true or false, or an array of these',
  (given) => (typeof given === 'string' && given !== '') || ['number', 'boolean'].includes(typeof given),
  { quotes: true },
)

/** Checks what an assertion must say. */
const pinnedClaims: Check<PinnedClaims> = (given, name) => {
  if (!isObject(given)) throw new ConfigurationError(name, given, 'an object')
  const pins = Object.entries(given).map(([claim, value]) => {
    const values = notEmpty(listOf(claimValue))([value].flat(), `${name}.${claim}`)
    return [claim, values] as const
  })
  return Object.fromEntries(pins)
}

const members = record({
  issuer,
  jwksUri: nullable(keySetUrl),
  algorithms: nullable(notEmpty(distinct(algorithm))),
  kind: nullable(oneOf('customer', 'workload')),
  subject: nullable(text),
  claims: nullable(pinnedClaims),
  clients: nullable(listOf(mustBeText('a client id: 1 to 2048 characters of printable ASCII', isClientId))),
  scopes: nullable(notEmpty(distinct(scopeToken))),
  resources: nullable(notEmpty(distinct(resource))),
  maxAge: nullable(duration(60, 3000)),
})

/** An issuer that a company trusts, after the checks of its record. Times are in milliseconds. */
export type CheckedIssuer = ReturnType<typeof trustedIssuer>

function trustedIssuer(given: unknown, name: string) {
  const { kind = 'customer', subject, ...others } = members(given, name)
  const { algorithms = assertionAlgorithms, maxAge = defaultMaxAge } = others
  const claims: PinnedClaims = others.claims ?? {}
  const wrongSubject = (allowed: string) => new ConfigurationError(`${name}.subject`, subject, allowed)
  if (kind === 'customer' && subject === undefined) {
    throw wrongSubject(`the claim that is your own id of the customer, or ${byHost}`)
  }
  if (kind === 'workload' && subject === byHost) throw wrongSubject('the claim that names the workload, or omitted')
  return { ...others, kind, subject: subject ?? 'sub', algorithms, claims, maxAge }
}

/** Checks the trusted issuers of a tenant's record. An assertion names one of them by its issuer alone. */
export const trustedIssuers: Check<CheckedIssuer[]> = (given, name) => {
  const issuers = listOf(trustedIssuer)(given, name)
  if (issuers.length > maxIssuers) throw new ConfigurationError(name, given, `an array of at most ${maxIssuers} items`)
  const names = issuers.map((one) => asParsed(one.issuer))
  distinct(text)(names, name)
  return issuers
}

/** Whether a name is that of an issuer: as its record has it, or as the URL parser keeps that. */
export function isNameOf({ issuer: address }: Pick<CheckedIssuer, 'issuer'>, name: unknown): boolean {
  return name === address || name === asParsed(address)
}

/**
 * Says why no assertion of an issuer can be taken, although its record is in order.
 *
 * @param hasMapping Whether the host has the option `customerOf`.
 * @returns Undefined if they can.
 */
export function issuerFault(
  { issuer: address, kind, subject, claims }: CheckedIssuer,
  hasMapping: boolean,
): 'not_pinned' | 'no_mapping' | undefined {
  const pinning = pinningClaims(address)
  const pinned = Object.keys(claims)
  const isPinned = pinning ? pinned.some((claim) => pinning.includes(claim)) : kind === 'customer' || pinned.length > 0
  if (!isPinned) return 'not_pinned'
  return subject === byHost && !hasMapping ? 'no_mapping' : undefined
}

/** The claims of which one must be pinned, for an issuer that serves many companies. Undefined for every other one. */
export function pinningClaims(address: string): readonly string[] | undefined {
  return sharedIssuers.find(({ isIt }) => isIt(address) || isIt(asParsed(address)))?.pinnedBy
}
