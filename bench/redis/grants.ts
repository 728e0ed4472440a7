import { createHash } from 'node:crypto'
import type { NewGrant, TokenStore } from 'customer-sign-in'

const day = 86_400_000
const atOnce = 1000
// Far enough ahead: no call here waits for long, and the server uses this machine's clock.
const soon = 60_000

/** The members of every grant here, except for the customer, who has a 40-character subject. */
export const likeness = {
  tenantId: 'acme-air',
  clientId: 'https://assistant.example/oauth/client.json',
  resource: 'https://api.acme-air.example/mcp',
  scopes: ['profile', 'bookings', 'calendar:read'],
}

/** Active grants in a store. The number of a grant determines its content, so two million grants take no memory in this process. */
export class Grants {
  readonly count: number
  readonly #store: TokenStore
  readonly #perCustomer: number
  readonly #swaps: Uint16Array

  constructor(store: TokenStore, count: number, perCustomer = 1) {
    this.#store = store
    this.count = count
    this.#perCustomer = perCustomer
    this.#swaps = new Uint16Array(count)
  }

  /** Signs every customer in: creates a grant with a code, and redeems the code. */
  async signIn(): Promise<void> {
    await this.#forEach(async (number) => {
      await this.#store.createGrant(newGrant(number, this.#grantId(number), this.#subject(number)))
      await this.swap(number)
    })
  }

  /** Swaps the credential of every grant once. */
  rotate(): Promise<void> {
    return this.#forEach((number) => this.swap(number))
  }

  /** Swaps the credential of one grant. */
  async swap(number: number): Promise<void> {
    const swaps = this.#swaps[number] ?? 0
    const { outcome } = await this.#store.swapCredential({
      tenantId: likeness.tenantId,
      grantId: this.#grantId(number),
      from: hash(number, swaps),
      to: hash(number, swaps + 1),
      attempt: text(`attempt ${number} ${swaps}`, 9),
      redeems: [hash(number, swaps)],
      // With refreshes an hour apart, a grant remembers only the newest redemption.
      remember: 0,
      rest: 0,
      lifetime: 30 * day,
      deadline: Date.now() + soon,
    })
    if (outcome !== 'swapped') throw new Error(`Grant ${number} was not swapped: ${outcome}`)
    this.#swaps[number] = swaps + 1
  }

  #subject(number: number): string {
    const customer = Math.floor(number / this.#perCustomer)
    return digest(`customer ${customer}`).toString('hex').slice(0, 40)
  }

  // As long as a real id, and with the same beginning for all grants of a customer.
  #grantId(number: number): string {
    return text(this.#subject(number), 9) + text(`grant ${number}`, 12)
  }

  async #forEach(act: (number: number) => Promise<void>): Promise<void> {
    for (let first = 0; first < this.count; first += atOnce) {
      const numbers = Array.from({ length: Math.min(atOnce, this.count - first) }, (_, index) => first + index)
      await Promise.all(numbers.map(act))
    }
  }
}

function newGrant(number: number, grantId: string, subject: string): NewGrant {
  return {
    ...likeness,
    grantId,
    subject,
    lifetime: 600_000,
    deadline: Date.now() + soon,
    credential: { kind: 'code', hash: hash(number, 0) },
    request: { redirectUri: 'https://assistant.example/oauth/callback', codeChallenge: text(`code ${number}`, 32) },
  }
}

// These texts are as long as those of real grants.
function hash(number: number, swaps: number): string {
  return text(`credential ${number} ${swaps}`, 32)
}

function text(of: string, bytes: number): string {
  return digest(of).subarray(0, bytes).toString('base64url')
}

function digest(of: string): Buffer {
  return createHash('sha256').update(of).digest()
}
