import { oauthError } from './oauth-error'

/** Whether a text is a resource indicator: an absolute URL without a fragment (RFC 8707 section 2). */
export function isResource(text: string): boolean {
  return URL.canParse(text) && !text.includes('#')
}

/**
 * The form in which resources are compared and stored: as `URL` writes it, without one trailing slash (RFC 8707 section 2).
 *
 * @returns Undefined if the text is not a resource indicator.
 */
export function canonicalResource(resource: string): string | undefined {
  if (!isResource(resource)) return undefined
  const url = new URL(resource)
  return url.search === '' ? url.href.replace(/\/$/, '') : url.href
}

/**
 * The one resource that a request names, in its canonical form, or undefined if it names none.
 *
 * @throws {OAuthError} `invalid_target` if it is not an absolute URL, or if the request names several different ones.
 */
export function requestedResource(values: readonly string[]): string | undefined {
  const resources = new Set(values.map(canonicalResource))
  if (resources.size > 1) throw oauthError('invalid_target', 'resource must name only one resource')
  const [resource] = resources
  if (resource === undefined && resources.size > 0) {
    throw oauthError('invalid_target', 'resource must be an absolute URL without a fragment')
  }
  return resource
}
