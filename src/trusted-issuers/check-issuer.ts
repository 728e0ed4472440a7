import { anything, record, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { NullableMembers, TrustedIssuer } from '../contract/tenant-store'
import { type FetchGuard, guardedFetch } from '../documents/guarded-fetch'
import { algorithmsOfKey, isKeySetUrl, type JsonWebKeySet, keySetFault } from '../protocol/json-web-keys'
import { errorWord } from '../protocol/oauth-error'
import { asError } from '../protocol/thrown'
import { startOf } from '../protocol/without-credentials'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import type { Tenants } from '../tenants/tenants'
import { discoveryUrls } from './issuer-keys'
import { byHost, type CheckedIssuer, isNameOf, issuerFault, pinningClaims, trustedIssuers } from './trusted-issuer'

/** An issuer to check. */
export interface IssuerCheck {
  /** The key of the company. */
  tenantKey: string
  /** The `issuer` of one of its trusted issuers; or a whole record, as the company's form has it before it is saved. */
  issuer: string | NullableMembers<TrustedIssuer>
}

/** What was found of an issuer. */
export interface IssuerReport {
  /** Whether assertions of it can be taken, as far as that shows without one. */
  usable: boolean
  /** What is wrong, each in an English sentence for the company's administrator. Empty if nothing is. */
  problems: string[]
  /** What its assertions must have as `aud`: the issuer of the company here. */
  audience: string
  /** Where its keys are. Absent if that is not known. */
  jwksUri?: string | undefined
  /** The keys that it publishes for signatures, with the algorithms that each can be used for. */
  keys: { kid?: string | undefined; algorithms: string[] }[]
  /** How many seconds its clock is ahead, as its responses say. Absent if they say nothing. */
  clockAhead?: number | undefined
}

const members = record({ tenantKey: text, issuer: anything<IssuerCheck['issuer']> })

// Seconds. What assertions may differ by.
const leeway = 60

/**
 * Checks a trusted issuer: discovers it, compares it, and looks at its keys, their algorithms, and its clock. It fetches everything now, also
 * what this process keeps.
 *
 * @param hasMapping Whether the host has the option `customerOf`.
 * @param now The clock, in milliseconds since 1970.
 */
export async function checkIssuer(
  check: IssuerCheck,
  tenants: Tenants,
  baseUrl: () => string,
  guard: FetchGuard,
  hasMapping: boolean,
  now: () => number,
): Promise<IssuerReport> {
  const { tenantKey, issuer } = members(check, 'checkIssuer')
  const tenant = await tenants.find(tenantKey, baseUrl())
  const report: IssuerReport = { usable: true, problems: [], audience: tenant.address.issuer, keys: [] }
  const { problems } = report
  const trusted = found(issuer, tenant, problems)
  if (trusted) {
    problems.push(...recordProblems(trusted, hasMapping))
    const look = { guard, now, report }
    report.jwksUri = trusted.jwksUri ?? (await discovered(trusted.issuer, look))
    if (report.jwksUri !== undefined) await checkKeys(report.jwksUri, trusted, look)
    const { clockAhead = 0 } = report
    const [by, way] = [Math.abs(clockAhead), clockAhead > 0 ? 'ahead of' : 'behind']
    if (by > leeway) {
      problems.push(`Its clock is ${by} seconds ${way} this server's: its assertions are refused beyond ${leeway}.`)
    }
  }
  return { ...report, usable: problems.length === 0 }
}

function found(given: IssuerCheck['issuer'], { key, policy }: ResolvedTenant, problems: string[]) {
  if (typeof given !== 'string') {
    try {
      return trustedIssuers([given], 'trustedIssuers')[0]
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      problems.push(`${error.option.replace('trustedIssuers[0].', '')} ${error.problem}.`)
      return undefined
    }
  }
  const name = text(given, 'checkIssuer.issuer')
  const trusted = policy.trustedIssuers.find((one) => isNameOf(one, name))
  if (trusted) return trusted
  const near = policy.trustedIssuers.find(({ issuer }) => issuer.replace(/\/$/, '') === name.replace(/\/$/, ''))
  const hint = near ? `: it trusts ${near.issuer}, which differs by the slash at its end` : ''
  problems.push(`The record of ${key} has no trusted issuer ${JSON.stringify(name)}${hint}.`)
  return undefined
}

function recordProblems(trusted: CheckedIssuer, hasMapping: boolean): string[] {
  const fault = issuerFault(trusted, hasMapping)
  if (fault === 'no_mapping') return [`Its subject is ${byHost}, and the option ${byHost} is missing.`]
  if (fault === undefined) return []
  const claims = pinningClaims(trusted.issuer)
  if (claims?.length === 0)
    return ['It signs for everybody, and says of no company whose people they are: use the issuer of your tenant.']
  const which = claims ? `one of ${claims.join(', ')}` : 'what its assertions say of your company'
  return [`It signs for others too: let claims name ${which}.`]
}

/** What a check fetches with, and the report that it writes. */
interface Look {
  guard: FetchGuard
  now: () => number
  report: IssuerReport
}

/** Fetches JSON now, and notes the clock of its server. @throws {Error} with what is wrong, in a sentence. */
async function fetchedJson(url: string, { guard, now, report }: Look): Promise<unknown> {
  const { status, body, headers } = await guardedFetch(new URL(url), guard).catch((thrown) => {
    // Not its message: the report is for the company, which must not learn what the host's network looks like from inside.
    const word = errorWord(thrown)
    const isForbidden = ['ForbiddenFetch', 'UnusableLookup'].includes(word)
    const why = isForbidden ? 'it is not at a public address, or not at an allowed port' : word
    throw new Error(`${url} cannot be fetched: ${why}.`)
  })
  const date = Date.parse(headers.date ?? '')
  if (Number.isFinite(date)) report.clockAhead = Math.round((date - now()) / 1000)
  if (status !== 200) throw new Error(`${url} answers with the status ${status}.`)
  try {
    return JSON.parse(body)
  } catch {
    throw new Error(`At ${url} is no JSON.`)
  }
}

async function discovered(issuer: string, look: Look): Promise<string | undefined> {
  const { problems } = look.report
  if (!isKeySetUrl(issuer, look.guard)) {
    problems.push('The issuer must be an https address here.')
    return undefined
  }
  const failures: string[] = []
  for (const url of discoveryUrls(issuer)) {
    try {
      const { issuer: named, jwks_uri: jwksUri } = Object(await fetchedJson(url, look))
      if (!isNameOf({ issuer }, named)) {
        const shown = JSON.stringify(startOf(String(named), 200))
        problems.push(`The metadata at ${url} is of the issuer ${shown}: enter that, to the letter.`)
      }
      if (typeof jwksUri === 'string') return jwksUri
      problems.push(`The metadata at ${url} has no jwks_uri.`)
      return undefined
    } catch (failed) {
      failures.push(asError(failed).message)
    }
  }
  problems.push(...failures)
  return undefined
}

async function checkKeys(url: string, { algorithms }: CheckedIssuer, look: Look): Promise<void> {
  const { problems } = look.report
  if (!isKeySetUrl(url, look.guard)) {
    problems.push(`jwks_uri must be an https address, but is ${JSON.stringify(url)}.`)
    return
  }
  try {
    const set = (await fetchedJson(url, look)) as JsonWebKeySet
    const fault = keySetFault(set)
    if (fault) throw new Error(`What is at ${url} ${fault}.`)
    const keys = set.keys
      .map((jwk) => ({ kid: typeof jwk.kid === 'string' ? jwk.kid : undefined, algorithms: algorithmsOfKey(jwk) }))
      .filter((key) => key.algorithms.length > 0)
    look.report.keys = keys
    const areUsable = keys.some((key) => key.algorithms.some((algorithm) => algorithms.includes(algorithm)))
    if (!areUsable) problems.push(`None of its keys is for ${algorithms.join(', ')}.`)
  } catch (failed) {
    problems.push(asError(failed).message)
  }
}
