import { createHash, randomBytes } from 'node:crypto'
import { ProofKey } from '../../../../src/protocol/proof-key'
import { hostPicker } from './host-picker'
import type { Asking, Party, Seen } from './requests'
import { between, type Scene } from './scene'

/** How a client behaves. Times are milliseconds. */
export interface Temperament {
  /** The pause between two refreshes. */
  pace: readonly [number, number]
  /** The wait before a retry after 503, a timeout or a lost connection. */
  retry: readonly [number, number]
  /** How many requests it has in flight at once. */
  burst: number
  /** Whether it goes on after the first success of a burst, without waiting for the others. */
  firstWins: boolean
}

/** A credential that its owner has redeemed. A thief can have a copy of it. */
export interface Spent {
  kind: 'code' | 'refresh_token'
  text: string
  codeVerifier: string
  at: number
}

const impatient = [100, 600] as const

/**
 * The client of one grant, as a strict state machine. It presents the newest refresh token that it has received, presents it again after
 * 503, a timeout or a lost connection, and after a success presents only the new one.
 */
export class Owner {
  readonly party: Party
  readonly spent: Spent[] = []
  newest: string | undefined
  accessToken: string | undefined
  /** Whether it was refused and has given up. */
  over = false
  readonly #scene: Scene
  readonly #temperament: Temperament
  readonly #host: () => number
  readonly #codeVerifier = randomBytes(32).toString('base64url')

  constructor(scene: Scene, temperament: Temperament) {
    this.#scene = scene
    this.#temperament = temperament
    this.#host = hostPicker(scene)
    const grant = scene.nextGrant()
    const tenantKey = scene.random.pick(['acme', 'globex'])
    this.party = { grant, subject: `customer-${grant}`, clientId: 'assistant-app', tenantKey }
    if (scene.random.next() < 0.2) this.party.key = new ProofKey()
  }

  /** Runs until it is refused or the finale begins. */
  async run(): Promise<void> {
    const { pace } = this.#temperament
    await this.#signIn()
    while (!this.over && !this.#scene.isFinale()) {
      await this.#scene.sleep(between(this.#scene.random, pace))
      if (this.#scene.isFinale()) break
      await this.#refresh()
    }
    if (this.over) await this.#probe()
  }

  /** Sends one more request when all faults are healed: an owner who behaved correctly is still signed in. */
  async finish(): Promise<void> {
    for (let times = 0; times < 2 && !this.over && this.newest; times++) {
      // Not all at once, because a stampede would only test the machine.
      await new Promise((resolve) => setTimeout(resolve, between(this.#scene.random, [300, 1500])))
      await this.#refresh()
    }
    if (this.accessToken) await this.#scene.requests.api(this.party, this.accessToken, this.#as('owner'))
    if (this.over) await this.#probe()
  }

  /** Whether it registered itself and so has a client id of its own. */
  get isRegistered(): boolean {
    return this.party.clientId !== 'assistant-app'
  }

  async #signIn(): Promise<void> {
    const { requests, random } = this.#scene
    if (random.next() < 0.1) {
      const { clientId } = await this.#untilAnswered(impatient, () => requests.register(this.party, this.#as('owner')))
      if (clientId === undefined) return
      this.party.clientId = clientId
    }
    const challenge = createHash('sha256').update(this.#codeVerifier).digest('base64url')
    const { credential: code } = await this.#untilAnswered(impatient, () =>
      requests.signIn(this.party, challenge, this.#as('owner')),
    )
    if (code === undefined) return
    if (random.next() < 0.1) await this.#interceptedCode(code)
    const copies = random.next() < 0.1 ? 2 : 1
    const seen = await this.#untilAnswered(impatient, () =>
      this.#atOnce(copies, () => requests.redeemCode(this.party, code, this.#codeVerifier, this.#as('owner'))),
    )
    this.#keep(seen, { kind: 'code', text: code })
  }

  /** Somebody who has the code without its verifier presents it. */
  async #interceptedCode(code: string): Promise<void> {
    const verifier = randomBytes(32).toString('base64url')
    await this.#scene.requests.redeemCode(this.party, code, verifier, { ...this.#as('garbage'), forged: true })
  }

  async #refresh(): Promise<void> {
    const { requests, random } = this.#scene
    const { burst, retry } = this.#temperament
    const token = this.newest
    if (token === undefined) return
    const narrower: Record<string, string> = random.next() < 0.1 ? { scope: 'profile' } : {}
    const seen = await this.#untilAnswered(retry, () =>
      this.#atOnce(burst, () => requests.refresh(this.party, token, this.#as('owner'), narrower)),
    )
    this.#keep(seen, { kind: 'refresh_token', text: token })
    if (this.accessToken && !this.over && random.next() < 0.3) {
      await requests.api(this.party, this.accessToken, this.#as('owner'))
    }
  }

  #keep({ answer, credential, accessToken }: Seen, redeemed: Pick<Spent, 'kind' | 'text'>): void {
    if (answer === 200 && credential !== undefined) {
      this.newest = credential
      this.accessToken = accessToken
      // A new refresh token is given back, which does not redeem it.
      if (credential !== redeemed.text)
        this.spent.push({ ...redeemed, codeVerifier: this.#codeVerifier, at: this.#scene.now() })
    }
  }

  /** Retries until there is a success or a refusal. In the finale, the waits are short. */
  async #untilAnswered(retry: readonly [number, number], ask: () => Promise<Seen>): Promise<Seen> {
    const patience = 30_000
    for (let finale = Number.POSITIVE_INFINITY; ; ) {
      const seen = await ask()
      if (seen.answer === 200 || seen.answer === 201) return seen
      if (typeof seen.answer === 'number' && seen.answer !== 503) this.over = true
      if (this.over || this.#scene.now() > finale + patience) return seen
      if (this.#scene.isFinale()) finale = Math.min(finale, this.#scene.now())
      if (this.#scene.isFinale()) await new Promise((resolve) => setTimeout(resolve, 300))
      else await this.#scene.sleep(between(this.#scene.random, retry))
    }
  }

  /** Sends several requests at once. A success among them counts; if there is none, a refusal. */
  async #atOnce(count: number, ask: () => Promise<Seen>): Promise<Seen> {
    const asked = Array.from({ length: count }, ask)
    const success = Promise.any(
      asked.map(async (one) => {
        const seen = await one
        if (seen.answer !== 200) throw new Error('No success')
        return seen
      }),
    ).catch(() => undefined)
    if (this.#temperament.firstWins) {
      const first = await success
      if (first) return first
    }
    const all = await Promise.all(asked)
    const refused = all.find(({ answer }) => typeof answer === 'number' && answer !== 503)
    return all.findLast(({ answer }) => answer === 200) ?? refused ?? (all[0] as Seen)
  }

  /** Presents its credential after the end of the grant, which must not come back. */
  async #probe(): Promise<void> {
    await this.#scene.sleep(between(this.#scene.random, [500, 2000]))
    const { requests } = this.#scene
    if (this.newest) await requests.refresh(this.party, this.newest, this.#as('probe'))
    if (this.accessToken) await requests.api(this.party, this.accessToken, this.#as('probe'))
  }

  #as(by: Asking['by']): Asking {
    return { by, host: this.#host() }
  }
}
