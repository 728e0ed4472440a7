import { type Check, must, rememberAccepted } from '../configuration/checks'
import type { TenantAddress } from '../protocol/issuer'
import { isLoopbackHost } from '../protocol/loopback'

const isOwnBaseUrl = rememberAccepted((text) => {
  if (!URL.canParse(text)) return false
  const { origin, protocol, hostname } = new URL(text)
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname)))
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

/** Checks an address that a tenant had before: that of its own domain, or the option `baseUrl`. */
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

/** Whether an address is on a domain of the tenant's own, at this host. */
export function isAtHost({ baseUrl, keyInPath }: TenantAddress, host: string): boolean {
  return keyInPath === undefined && baseUrl.endsWith(`//${host}`)
}
