// What a probe reads, and the ways to give and to change keys.
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type {
  CustomerSignIn,
  CustomerSignInOptions,
  DocumentCounts,
  ExternalSigningKey,
  Health,
  HealthProblem,
  KeyOptions,
  KeysHealth,
  SigningKeyInput,
  TokenStoreHealth,
} from 'customer-sign-in'

declare const signIn: CustomerSignIn

export async function probe(): Promise<string> {
  const health: Health = await signIn.health()
  const parts: [TokenStoreHealth, KeysHealth, DocumentCounts] = [health.tokenStore, health.keys, health.documents]
  const [first]: HealthProblem[] = health.problems
  const offset: number | undefined = parts[0].clockOffset
  // @ts-expect-error There is no offset before the first answer.
  const certain: number = parts[0].clockOffset
  if (first?.part === 'clock') return `${first.problem}. ${first.remedy}: ${offset ?? certain}`
  // @ts-expect-error No such part.
  if (first?.part === 'redis') return ''
  await signIn.health({ timeout: 2 })
  // @ts-expect-error The member is timeout.
  await signIn.health({ within: 2 })
  return health.ready && health.ok ? parts[1].signing : ''
}

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const sign = async (data: Uint8Array, kid: string): Promise<Uint8Array> => Buffer.from(`${kid}${data.length}`)

export const externalKeys: ExternalSigningKey[] = [
  { publicKey, sign },
  { publicKey: 'PEM', alg: 'ES384', kid: 'the key', sign },
  { publicKey: publicKey.export({ format: 'jwk' }), sign: (data) => data },
  // @ts-expect-error EdDSA is none of the algorithms.
  { publicKey, alg: 'EdDSA', sign },
  // @ts-expect-error A signature is bytes, not text.
  { publicKey, sign: async () => 'c2lnbmF0dXJl' },
  // @ts-expect-error Without the public key nobody could verify.
  { sign },
]

export const mixed: SigningKeyInput[] = [privateKey, 'PEM', { publicKey, sign }]
export const options: Pick<CustomerSignInOptions, 'keys'> = { keys: { signing: mixed } }

export async function rotate(old: KeyObject, next: KeyObject): Promise<void> {
  const keys: KeyOptions = { signing: [old, next] }
  await signIn.setKeys(keys)
  await signIn.setKeys({ credentialSecrets: ['.'.repeat(32), Buffer.alloc(32)] })
  // @ts-expect-error Each is a list.
  await signIn.setKeys({ signing: next })
  // @ts-expect-error The keys are called signing.
  await signIn.setKeys({ keys: [next] })
}
