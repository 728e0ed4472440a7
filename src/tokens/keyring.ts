import { type Check, type Checked, listOf, must, optional, record } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import {
  loadSigningKeys,
  privatePart,
  type SigningKey,
  type SigningKeyInput,
  type SigningKeys,
  temporarySigningKey,
} from './signing-keys'

/** What credentials are derived from: the first derives, all are recognised. */
export type Secrets = readonly [Buffer, ...Buffer[]]

const ofLength = must<string | Buffer>('at least 32 bytes, as a string or Buffer', (item) =>
  typeof item === 'string' ? Buffer.byteLength(item) >= 32 : Buffer.isBuffer(item) && item.length >= 32,
)

const secret: Check<string | Buffer> = (given, name) => {
  const item = ofLength(given, name)
  const says = faultOf(Buffer.from(item as string))
  if (says === undefined) return item
  throw new ConfigurationError(name, given, '32 random bytes, as npx customer-sign-in keys prints them', { says })
}

// 32 random bytes have about 30, and in hexadecimal about 14.
const fewest = 8
// Patterns that no random text of that length meets.
const placeholder =
  /(?<![a-z])(replace[ _-]?(me|this|with)|change[ _-]?(me|this|it)|your[ _-](\w+[ _-])?secret|placeholder)(?![a-z])|^(<[\w .-]+>|\$\{\w+\}|\{\{[\w .]+\}\})$/i
const quoted = /^(["'])[\w+/=. -]*\1$/
const path = /^(file:|~|\.{1,2}\/|\/)[^A-Z]*$/

/** Why something is no secret, although it is long enough: others can guess it, or know it (RFC 8725 section 3.5). */
function faultOf(bytes: Buffer): string | undefined {
  if (new Set(bytes).size < fewest) return `has fewer than ${fewest} different characters, so it can be guessed`
  const text = bytes.toString('latin1').trim()
  // Random bytes are no text: what looks like one there is chance.
  if (/[^\x20-\x7E\s]/.test(text)) return undefined
  if (/-----BEGIN |"kty"|^LS0tLS1CRUdJTi/.test(text)) return 'is a key: are the signing key and the secret swapped?'
  if (placeholder.test(text)) return 'is a placeholder: npx customer-sign-in keys makes a secret'
  if (path.test(text)) return 'is the path of a file: read the file, and give what is in it'
  if (quoted.test(text)) return 'has quotation marks around it: take them off, because not all readers of .env files do'
  return undefined
}

const credentialSecrets: Check<Secrets> = (given, name) => {
  const [first, ...others] = listOf(secret)(given, name).map((item) => Buffer.from(item as string))
  // Four keep the search for a lost write short (`CredentialChain`).
  if (!first || others.length > 3) throw new ConfigurationError(name, given, 'an array of 1 to 4 secrets')
  return [first, ...others]
}

/** The options `keys`: what access tokens are signed with, and what refresh tokens are derived from. */
export interface KeyOptions {
  /**
   * The keys for access tokens: the first signs, all verify. Required in production. Outside production the library makes a key for the
   * process by default, and warns. A key whose private part this process does not have is `{ publicKey, sign }`.
   */
  signing?: readonly SigningKeyInput[] | undefined
  /**
   * Secrets of at least 32 bytes, from which refresh tokens and consent tokens are derived: the first derives, all are recognised. Default:
   * the private parts of the signing keys. Required if one of these has its private part elsewhere, and if clients that register themselves
   * can have a secret, which is derived too.
   */
  credentialSecrets?: readonly (string | Buffer)[] | undefined
}

/** The keys and secrets that a process has at one time. */
export interface KeysInUse {
  signingKeys: SigningKeys
  /** What credentials are derived from. */
  secrets: Secrets
}

/** The checks of {@link KeyOptions}. The signing keys themselves are read later. */
export const keyMembers = {
  signing: optional(must<readonly SigningKeyInput[]>('an array of private keys', Array.isArray)),
  credentialSecrets: optional(credentialSecrets),
}

/** Holds the keys and secrets of this process, and changes them while requests are answered. */
export class Keyring {
  inUse: KeysInUse
  /** Whether the signing key was made for this process. */
  isTemporary: boolean
  readonly #timeout: number
  /** The option `keys.credentialSecrets`, if the secrets are not those of the signing keys. */
  #ownSecrets: Secrets | undefined
  /** The changes before this one. */
  #changed: Promise<unknown> = Promise.resolve()

  /**
   * @param timeout How long a signer of the host's own may take, in milliseconds.
   * @throws {ConfigurationError} for a wrong key, or without secrets for a key whose private part is elsewhere.
   */
  constructor({ signing: inputs, credentialSecrets }: Checked<typeof keyMembers>, timeout: number) {
    this.#timeout = timeout
    this.isTemporary = inputs === undefined
    this.#ownSecrets = credentialSecrets
    const signingKeys = inputs ? loadSigningKeys(inputs, timeout) : ([temporarySigningKey()] as const)
    this.inUse = { signingKeys, secrets: secretsOf(signingKeys, credentialSecrets) }
  }

  /**
   * Changes keys and secrets, one call after the other. Nothing changes before everything has been checked.
   *
   * @param apply Hands the new ones to whoever uses them, all at once.
   * @throws {ConfigurationError} for wrong ones, and for a change that keeps none of the former ones.
   * @throws {OAuthError} `temporarily_unavailable` if the first key has a signer that does not sign.
   */
  change(given: KeyOptions, apply: (keys: KeysInUse) => void): Promise<void> {
    const change = this.#changed.then(() => this.#change(given, apply))
    this.#changed = change.catch(() => {})
    return change
  }

  async #change(given: KeyOptions, apply: (keys: KeysInUse) => void): Promise<void> {
    const { signing: inputs, credentialSecrets: newSecrets } = record(keyMembers)(given, 'setKeys')
    if (!inputs && !newSecrets)
      throw new ConfigurationError('setKeys', given, 'given signing, credentialSecrets or both')
    const own = newSecrets ?? this.#ownSecrets
    const signingKeys = inputs ? loadSigningKeys(inputs, this.#timeout) : this.inUse.signingKeys
    const next = { signingKeys, secrets: secretsOf(signingKeys, own) }
    if (!this.isTemporary) checkSomeStay(this.inUse, next)
    if (inputs) await signingKeys[0].signer?.try()
    this.inUse = next
    this.#ownSecrets = own
    this.isTemporary &&= inputs === undefined
    apply(next)
  }
}

/** Everybody can read what is in the key set. */
function checkUnpublished(secrets: Secrets, signingKeys: SigningKeys): Secrets {
  const published = signingKeys.flatMap(({ publicJwk }) => Object.values(publicJwk))
  const index = secrets.findIndex((secret) => published.includes(String(secret)))
  if (index === -1) return secrets
  const says = 'is in the public key set: npx customer-sign-in keys makes a secret'
  throw new ConfigurationError(`keys.credentialSecrets[${index}]`, secrets[index], 'a secret', { says })
}

/** By default the secrets are the private parts of the signing keys. */
function secretsOf(signingKeys: SigningKeys, own: Secrets | undefined): Secrets {
  if (own) return checkUnpublished(own, signingKeys)
  const secrets = signingKeys.map((key, index) => {
    const secret = privatePart(key)
    if (secret) return secret
    const allowed = `set, because keys.signing[${index}] has a signer`
    throw new ConfigurationError('keys.credentialSecrets', undefined, allowed)
  })
  return secrets as [Buffer, ...Buffer[]]
}

/**
 * Refuses keys or secrets of which none is in use: those of another system, given by mistake, would end every access token, and would make
 * this process take the repeats of all clients for forged ones.
 */
function checkSomeStay(former: KeysInUse, next: KeysInUse): void {
  // The host chooses the names of some keys, so another key can have the same name.
  const isSame = (one: SigningKey, other: SigningKey) =>
    one.prefix === other.prefix && one.publicKey.equals(other.publicKey)
  if (!next.signingKeys.some((key) => former.signingKeys.some((known) => isSame(key, known))))
    throw allNew('signing', 'keys')
  if (next.secrets.some((secret) => former.secrets.some((known) => known.equals(secret)))) return
  throw allNew('credentialSecrets', 'secrets')
}

function allNew(option: string, noun: string): ConfigurationError {
  const allowed = `a list with at least one of the ${noun} in use. To replace all of them, call setKeys with both and then with the new ones`
  return new ConfigurationError(`setKeys.${option}`, undefined, allowed, {
    says: `has none of the ${noun} in use: it must be ${allowed}`,
  })
}
