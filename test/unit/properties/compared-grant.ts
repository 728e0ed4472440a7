import type { CustomerSignInEvent } from 'customer-sign-in'
import type { Grant, TokenStore } from 'customer-sign-in/store'
import { forged, junk, takenApart } from '../../support/credential-text'
import { recordOf, restore } from '../../support/records'
import { expectError, expectTokens, type SignedIn, type TestSignIn } from '../../support/sign-in'
import type { SkewedClocks } from '../../support/skewed-clocks'
import { type GrantState, isAlive, newGrant, present, type Rules, type Verdict } from './grant-model'

/** The store in memory, and the same store with its own clock. */
export interface Stores {
  memory: TokenStore
  kept: TokenStore
}

/** One customer's grant in the library and in the model, each to be compared with the other. */
export class ComparedGrant {
  readonly subject: string
  readonly #rules: Rules
  readonly #stores: Stores
  readonly #clocks: SkewedClocks
  readonly #signedIn: SignedIn
  /** The refresh tokens by their step. Step 0 is the code, so there is none at 0. */
  readonly #refreshTokens: string[] = ['']
  readonly #history: { record: Grant; state: GrantState }[] = []
  #state: GrantState
  #hasFailedOver = false
  /** The events that the host should have received about this grant. */
  readonly told: (Verdict['told'] | 'revoked')[] = []

  private constructor(subject: string, signedIn: SignedIn, rules: Rules, stores: Stores, clocks: SkewedClocks) {
    this.subject = subject
    this.#signedIn = signedIn
    this.#rules = rules
    this.#stores = stores
    this.#clocks = clocks
    this.#state = newGrant(rules, clocks.now())
  }

  static async begin(
    subject: string,
    host: TestSignIn,
    rules: Rules,
    stores: Stores,
    clocks: SkewedClocks,
  ): Promise<ComparedGrant> {
    const grant = new ComparedGrant(subject, await host.asCustomer({ subject }), rules, stores, clocks)
    await grant.#remember()
    return grant
  }

  /** Presents the credential that is this many steps older than the newest. */
  async present(back: number, host: TestSignIn): Promise<void> {
    const step = this.#step(back)
    const verdict = present(step, this.#state, this.#rules, this.#clocks.now())
    const response = step === 0 ? await host.exchange(this.#signedIn) : await host.refresh(this.#text(step))
    if (verdict.answer === 'refused') expectError(response, 400, 'invalid_grant')
    else this.#expectGives(verdict.gives, expectTokens(response).refresh_token)
    if (verdict.told !== 'nothing') this.told.push(verdict.told)
    await this.#remember()
  }

  /** The store applies the calls, but its first answer is lost. */
  async presentWhileAnswerIsLost(back: number, host: TestSignIn): Promise<void> {
    const step = this.#step(back)
    if (step === this.#state.live || !this.isAlive()) return this.present(back, host)
    // Then nobody can tell whether it is a replay.
    const response = step === 0 ? await host.exchange(this.#signedIn) : await host.refresh(this.#text(step))
    expectError(response, 503, 'temporarily_unavailable')
  }

  /** Presents guessed credentials, which do not redeem the grant. */
  async guess(back: number, host: TestSignIn): Promise<void> {
    const step = this.#step(back)
    const attempts =
      step === 0
        ? [
            host.exchange(this.#signedIn, { code_verifier: 'x'.repeat(43) }),
            host.exchange(this.#signedIn, { code: forged(this.#signedIn.code, { secret: junk() }) }),
          ]
        : [
            host.refresh(this.#text(step), {}, 'globex'),
            host.refresh(forged(this.#text(step), { secret: junk() })),
            host.exchange(this.#signedIn, { code: forged(this.#text(step), { prefix: 'csic_' }) }),
          ]
    for (const attempt of attempts) expectError(await attempt, 400, 'invalid_grant')
  }

  async revoke(host: TestSignIn): Promise<void> {
    const ended = await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: this.subject })
    expect(ended).toBe(this.isAlive() ? 1 : 0)
    if (this.isAlive()) this.told.push('revoked')
    this.#state.ended = true
  }

  /** The store goes back to its state of this many writes ago. */
  async failOver(back: number): Promise<void> {
    const copy = this.#history.at(-1 - back) ?? this.#history[0]
    if (!copy) return
    this.#state = { ...copy.state }
    this.#hasFailedOver = true
    await restore(this.#stores.memory, copy.record)
  }

  isAlive(): boolean {
    return isAlive(this.#state, this.#clocks.now())
  }

  /** Whether the grant is among the customer's connected clients. */
  async expectListed(host: TestSignIn): Promise<void> {
    const listed = (await host.signIn.grants.list({ tenantKey: 'acme', subject: this.subject })).grants
    expect(listed).toHaveLength(this.isAlive() && this.#state.live > 0 ? 1 : 0)
  }

  #step(back: number): number {
    return Math.max(0, this.#refreshTokens.length - 1 - back)
  }

  #text(step: number): string {
    return this.#refreshTokens[step] ?? ''
  }

  #expectGives(step: number, refreshToken: string): void {
    // The successor of a credential is decided once, however often the credential is presented.
    const before = this.#refreshTokens[step] ?? refreshToken
    const { handle, secret } = takenApart(before)
    expect(takenApart(refreshToken)).toMatchObject({ handle, secret })
    // Its expiry may differ if the store has lost the write that decided it.
    if (!this.#hasFailedOver) expect(refreshToken).toBe(before)
    this.#refreshTokens[step] = refreshToken
  }

  async #remember(): Promise<void> {
    if (!this.isAlive()) return
    this.#history.push({
      record: await recordOf(this.#stores.kept, 'acme', this.subject),
      state: { ...this.#state },
    })
  }
}

/** The model's name of an event, or its type if the model has no name for it. */
export function inWords(event: CustomerSignInEvent): string {
  switch (event.type) {
    case 'refreshed':
      if (!event.rotated) return 'kept'
      return event.recovered ? 'recovered' : 'refreshed'
    case 'replayed':
      return event.ended ? 'ended' : 'tolerated'
    default:
      return event.type
  }
}
