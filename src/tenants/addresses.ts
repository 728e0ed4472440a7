import { type Check, must, rememberAccepted } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { TenantAddress } from '../protocol/issuer'
import { leadsToOwnDevice } from '../protocol/loopback'

const isOwnBaseUrl = rememberAccepted((text) => {
  if (!URL.canParse(text)) return false
  const { origin, protocol, hostname } = new URL(text)
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && leadsToOwnDevice(hostname)))
})

const isBaseUrl = rememberAccepted((text) => {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false
  const { origin, pathname } = new URL(text)
  return text === `${origin}${pathname.replace(/\/$/, '')}`
})

/** Checks the address of a tenant's own domain, and returns it without a slash at its end. */
export const ownBaseUrl = withoutSlash(
  must<string>(
    'an https address, or an http address on loopback, in lower case, without path, query, fragment, user name and default port, such as https://assistant.acme.com',
    (given) => typeof given === 'string' && isOwnBaseUrl(given),
    { quotes: true },
  ),
)

/** Checks the form of an address that a tenant had before. {@link checkFormer} says the rest. */
export const formerBaseUrl = withoutSlash(
  must<string>(
    'an http or https address in its normal form, without query, fragment, user name and default port',
    (given) => typeof given === 'string' && isBaseUrl(given),
    { quotes: true },
  ),
)

function withoutSlash(check: Check<string>): Check<string> {
  return (given, name) => check(typeof given === 'string' ? given.replace(/\/$/, '') : given, name)
}

/** What of a tenant's record says where the tenant is. */
export interface AddressMembers {
  key: string
  baseUrl: string | undefined
  formerBaseUrls: readonly string[] | undefined
}

/** The address of a tenant, and then those that it had before. @param shared The base URL of tenants without a domain of their own. */
export function addressesOf(
  { key, baseUrl, formerBaseUrls = [] }: AddressMembers,
  shared: string,
): readonly [TenantAddress, ...TenantAddress[]] {
  const at = (url: string): TenantAddress => ({ baseUrl: url, keyInPath: url === shared ? key : undefined })
  return [at(baseUrl ?? shared), ...formerBaseUrls.map(at)]
}

/**
 * Checks that each address that a tenant had before is one that this server can have: that of a domain of the tenant's own, or the option
 * `baseUrl`.
 *
 * @param shared The option `baseUrl`.
 */
export function checkFormer({ formerBaseUrls = [] }: AddressMembers, shared: string): void {
  for (const [index, former] of formerBaseUrls.entries()) {
    if (former === shared || isOwnBaseUrl(former)) continue
    const allowed = `the option baseUrl (${shared}), or the address of a domain as baseUrl of a record may be`
    throw new ConfigurationError(`tenant.formerBaseUrls[${index}]`, former, allowed, { quotes: true })
  }
}

/** Whether an address is on a domain of the tenant's own, at this host. */
export function isAtHost({ baseUrl, keyInPath }: TenantAddress, host: string): boolean {
  return keyInPath === undefined && (baseUrl === `https://${host}` || baseUrl === `http://${host}`)
}
