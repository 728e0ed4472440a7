import { startOf, withoutCredentials } from '../protocol/without-credentials'

/** How a {@link ConfigurationError} describes what was given. */
interface Wording {
  /** Whether the message may quote a string. Not if a secret may have been given in its place. Default false. */
  quotes?: boolean | undefined
  /** The message after the option's name, if it is not about a value of the wrong kind. */
  says?: string | undefined
}

/** A wrong option, argument, record, or result of a hook. Its message says what was given, what is allowed, and where to read more. */
export class ConfigurationError extends Error {
  /** The option's path, such as `lifetimes.accessToken` or `keys.signing[1]`. */
  readonly option: string
  /** What the option may be. */
  readonly allowed: string
  /** What is wrong, as the message says it after the option's name. */
  readonly problem: string
  /** The page of this package, and the heading there, that explain the option. */
  readonly help: string

  /** @internal */
  constructor(name: string, given: unknown, allowed: string, { quotes = false, says }: Wording = {}) {
    // A host may pass on whatever names and values a client has sent.
    const option = withoutCredentials(name)
    const help = helpFor(option)
    const problem = withoutCredentials(says ?? refusal(given, allowed, quotes))
    super(`customer-sign-in: ${option} ${problem}. See ${help}`)
    this.name = 'ConfigurationError'
    this.option = option
    this.allowed = allowed
    this.problem = problem
    this.help = help
  }
}

/**
 * The error for an unknown member. It does not quote the member's value: under a misspelt name, that may be a secret.
 *
 * @param owner The name of the object that has the member, such as `requireAccessToken`; `''` for the options.
 * @param names The known members.
 * @param paths The paths of those that are in a group, such as `lifetimes.accessToken`.
 */
export function unknownMember(owner: string, member: string, names: readonly string[], paths: readonly string[] = []) {
  const nearest = nearestName(member, names) ?? nearestPath(member, paths)
  const suggestion = nearest === undefined ? '' : ` Did you mean ${nearest}?`
  const [option, kind, noun] =
    owner === '' ? [member, 'an option', 'option'] : [`${owner}.${member}`, `a member of ${owner}`, 'member']
  const known = names.length === 1 ? `The only ${noun} is` : `The ${noun}s are`
  return new ConfigurationError(option, undefined, `one of ${names.join(', ')}`, {
    says: `is not ${kind}.${suggestion} ${known} ${listOfNames(names)}`,
  })
}

/** The error for what a function of the host's has returned. It quotes nothing, because the value may be about a customer. */
export function wrongAnswer(option: string, given: unknown, allowed: string): ConfigurationError {
  return new ConfigurationError(option, given, allowed, {
    says: `must return ${allowed}, but returned ${inWords(given, false)}`,
  })
}

/** Names in a sentence: `a, b and c`. */
export function listOfNames(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

function refusal(given: unknown, allowed: string, quotes: boolean): string {
  if (given === undefined) return `is missing: it must be ${allowed}`
  return `must be ${allowed}, but is ${inWords(given, quotes)}`
}

function inWords(given: unknown, quotes: boolean): string {
  if (typeof given === 'string') {
    return quotes ? JSON.stringify(startOf(given, 100)) : `a string of ${countOf(given.length, 'character')}`
  }
  if (typeof given === 'function') return 'a function'
  if (Array.isArray(given)) return `an array of ${countOf(given.length, 'item')}`
  if (given instanceof Promise) return 'a promise'
  return typeof given === 'object' && given !== null ? 'an object' : String(given)
}

function countOf(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}

/**
 * The name that somebody probably meant by a misspelt one, or undefined if none is similar. Capitals, `_` and `-` make no difference.
 *
 * @param maxDistance How many letters may differ. At most a quarter of them in any case: a wrong suggestion is worse than none.
 */
export function nearestName(misspelt: string, names: readonly string[], maxDistance = Number.POSITIVE_INFINITY) {
  const [nearest] = names
    .map((name) => ({ name, distance: editDistance(lettersOf(misspelt), lettersOf(name)) }))
    .filter(({ name, distance }) => distance <= Math.min(maxDistance, Math.max(misspelt.length, name.length) / 4))
    .sort((one, other) => one.distance - other.distance)
  return nearest?.name
}

/** Many call a member of a group by its own name alone, or with the group's before or after it: `accessTokenLifetime`. */
function nearestPath(misspelt: string, paths: readonly string[]): string | undefined {
  const pathOf = new Map(
    paths.flatMap((path) => {
      const [group, name] = path.split('.')
      return [`${name}`, `${name}${group}`, `${group}${name}`].map((spelling) => [spelling, path])
    }),
  )
  const nearest = nearestName(misspelt, [...pathOf.keys()])
  return nearest && pathOf.get(nearest)
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/** How many letters must be added, removed or replaced to turn one text into the other (Levenshtein). */
function editDistance(one: string, other: string): number {
  // A secret in place of a name can be long. No name of this library is.
  if (one.length > 64) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1]
    for (const [j, its] of [...other].entries()) {
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + Number(letter !== its)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** The page and heading that explain each option, and each argument of the API, by the name that its errors begin with. */
export const helpPages: Readonly<Record<string, string>> = {
  options: 'docs/options.md#options',
  tenantStore: 'docs/configuration.md#tenants',
  tokenStore: 'docs/operations.md#which-store',
  baseUrl: 'docs/configuration.md#base-url',
  authenticate: 'docs/configuration.md#login-authenticate',
  refreshRetryWindow: 'docs/credential-chain.md#choosing-refreshretrywindow',
  keys: 'docs/keys.md#making-keys',
  lifetimes: 'docs/configuration.md#lifetimes',
  scopes: 'docs/configuration.md#scopes',
  clients: 'docs/options.md#options',
  'clients.registration': 'docs/clients.md#dynamic-registration',
  'clients.documents': 'docs/clients.md#metadata-documents',
  'clients.authentication': 'docs/clients.md#clients-that-authenticate',
  'clients.allowed': 'docs/clients.md#which-clients-a-company-allows',
  'clients.blocked': 'docs/clients.md#which-clients-a-company-allows',
  'clients.fetch': 'docs/clients.md#a-fetch-of-your-own',
  'clients.known': 'docs/clients.md#documents-that-cannot-be-fetched',
  'clients.appRedirects': 'docs/clients.md#redirect-uris',
  grants: 'docs/administration.md#ending-grants',
  'grants.replace': 'docs/administration.md#one-grant-for-each-client',
  pages: 'docs/options.md#options',
  'pages.consent': 'docs/configuration.md#consent',
  'pages.error': 'docs/pages.md#an-error-page-of-your-own',
  'pages.askConsent': 'docs/configuration.md#remembered-consent',
  'pages.locale': 'docs/pages.md#languages',
  'pages.words': 'docs/pages.md#words',
  'pages.theme': 'docs/pages.md#theme',
  'pages.links': 'docs/pages.md#links',
  accessTokenClaims: 'docs/configuration.md#access-token-claims',
  customerOf: 'docs/identity-providers.md#which-customer-it-is',
  checkIssuer: 'docs/identity-providers.md#checking-an-issuer',
  externalEndpoints: 'docs/configuration.md#your-own-authorize-page',
  onEvent: 'docs/events.md#logging-events',
  hostTimeout: 'docs/errors.md#temporarily_unavailable-503',
  health: 'docs/operations.md#health',
  setKeys: 'docs/keys.md#without-a-restart',
  req: 'docs/hosts.md#bodies-that-were-read-before',
  tenant: 'docs/configuration.md#tenants',
  customer: 'docs/configuration.md#login-authenticate',
  tenantKey: 'docs/configuration.md#protected-apis',
  verifyAccessToken: 'docs/configuration.md#protected-apis',
  requireAccessToken: 'docs/configuration.md#protected-apis',
  protectedResource: 'docs/configuration.md#protected-apis',
  auth: 'docs/configuration.md#protected-apis',
  requireScopes: 'docs/configuration.md#step-up',
  verifier: 'docs/configuration.md#with-the-mcp-sdk',
  issueAuthorizationCode: 'docs/configuration.md#your-own-authorize-page',
  connect: 'docs/connect-an-assistant.md#what-the-call-gives',
  tenants: 'docs/administration.md#the-calls',
  instrument: 'docs/observability.md#opentelemetry',
  RedisTokenStore: 'docs/operations-redis.md#connecting-to-redis',
  PostgresTokenStore: 'docs/operations-postgres.md#connecting-to-postgresql',
  MovingTokenStore: 'docs/operations-postgres.md#moving-from-another-store',
  testSignIn: 'docs/testing.md#what-testsignin-is-made-of',
  tokensFor: 'docs/testing.md#tokens',
  assertionFor: 'docs/testing.md#assertions',
  postgresSchema: 'docs/operations-postgres.md#installing-the-tables',
}

/** Where the documentation of an option is, such as `scopes[1]` or `clients.allowed.documentHosts`: this package brings its pages with it. */
export function helpFor(option: string): string {
  const [name = '', member] = option.split(/[.[]/)
  const known = [`${name}.${member}`, name].find((path) => Object.hasOwn(helpPages, path))
  const page = known === undefined ? 'docs/errors.md#configuration-errors' : helpPages[known]
  return `node_modules/customer-sign-in/${page}`
}
