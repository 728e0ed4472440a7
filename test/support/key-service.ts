import { type ChildProcess, fork } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { on, once } from 'node:events'
import { join } from 'node:path'
import type { ExternalSigningKey, SigningAlgorithm } from 'customer-sign-in'
import { endedEarly, withComplaints } from './ended-early'
import type { KeyServiceMood, KeyServiceSettings } from './key-service/settings'

const root = join(__dirname, '..', '..')

/** A key management service: a process of its own, with a key that never leaves it. */
export class KeyService {
  readonly publicKey: KeyObject
  readonly algorithm: SigningAlgorithm
  readonly #child: ChildProcess
  readonly #url: string

  private constructor(child: ChildProcess, url: string, publicKey: KeyObject, algorithm: SigningAlgorithm) {
    this.#child = child
    this.#url = url
    this.publicKey = publicKey
    this.algorithm = algorithm
  }

  static async start(
    algorithm: SigningAlgorithm = 'ES256',
    encoding: KeyServiceSettings['encoding'] = 'der',
  ): Promise<KeyService> {
    const { publicKey, privateKey } = keyPairFor(algorithm)
    const settings = { algorithm, encoding, privateKey: String(privateKey.export({ format: 'pem', type: 'pkcs8' })) }
    const child = fork(join(__dirname, 'key-service', 'main.ts'), {
      execArgv: ['--import', 'tsx'],
      cwd: root,
      env: { PATH: process.env.PATH, KEY_SERVICE: JSON.stringify(settings satisfies KeyServiceSettings) },
      stdio: withComplaints,
    })
    const listening = new Promise<string>((resolve) => {
      child.once('message', (message: { url: string }) => resolve(message.url))
    })
    const url = await Promise.race([listening, endedEarly(child, 'The key service')])
    return new KeyService(child, url, publicKey, algorithm)
  }

  /** The key as an option of sign-in. */
  get signingKey(): ExternalSigningKey {
    return { publicKey: this.publicKey, alg: this.algorithm, sign: (data) => this.#sign(data) }
  }

  async become(mood: KeyServiceMood): Promise<void> {
    const changed = once(this.#child, 'message')
    this.#child.send(mood)
    await changed
  }

  /** Resolves once a service that hangs has been sent so many requests more. */
  async holds(count: number): Promise<void> {
    let held = 0
    for await (const _ of on(this.#child, 'message')) if (++held === count) return
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill()
    await ended
  }

  async #sign(data: Uint8Array): Promise<Uint8Array> {
    const response = await fetch(this.#url, { method: 'POST', body: Buffer.from(data) })
    if (!response.ok) throw new Error(`The key service answered ${response.status}`)
    return new Uint8Array(await response.arrayBuffer())
  }
}

function keyPairFor(algorithm: SigningAlgorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (algorithm === 'ES384') return generateKeyPairSync('ec', { namedCurve: 'P-384' })
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}
