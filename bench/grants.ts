import { createHash } from 'node:crypto'
import type { NewGrant, TokenStore } from 'customer-sign-in/store'

const day = 86_400_000
// Far enough ahead: no call here waits for long, and the server uses this machine's clock.
const soon = 60_000

/** The members of every grant here, except for the customer, who has a 40-character subject. If tenants are counted, each has a UUID as its id. */
export const likeness = {
  tenantId: 'acme-air',
  clientId: 'https://assistant.example/oauth/client.json',
  resource: 'https://api.acme-air.example/mcp',
  scopes: ['profile', 'bookings', 'calendar:read'],
}

/** How many companies have so many grants, if each has a thousand. */
export function companiesOf(count: number): number {
  return Math.max(1, Math.floor(count / 1000))
}

/** How grants are divided among customers and tenants, and how they are handled. */
export interface GrantsOptions {
  /** How many grants a customer has. Default 1. */
  perCustomer?: number
  /** Default one, with a short id. */
  tenants?: number | undefined
  /** How many calls of the store are in flight while every grant has its turn. Default 1000. */
  inFlight?: number
}

/** Active grants in a store. The number of a grant determines its content, so two million grants take no memory in this process. */
export class Grants {
  readonly count: number
  readonly #store: TokenStore
  readonly #perCustomer: number
  readonly #tenants: number | undefined
  readonly #inFlight: number
  readonly #swaps: Uint16Array

  constructor(store: TokenStore, count: number, { perCustomer = 1, tenants, inFlight = 1000 }: GrantsOptions = {}) {
    this.#store = store
    this.count = count
    this.#perCustomer = perCustomer
    this.#tenants = tenants
    this.#inFlight = inFlight
    this.#swaps = new Uint16Array(count)
  }

  /** Takes the grants for what `signIn` would have made: somebody else has put them into the store. */
  takeForSignedIn(): void {
    this.#swaps.fill(1)
  }

  /** Signs every customer in: creates a grant with a code, and redeems the code. */
  async signIn(): Promise<void> {
    await this.#forEach(async (number) => {
      await this.#store.createGrant(newGrant(number, this.#grantId(number), this.ownerOf(number)))
      await this.swap(number)
    })
  }

  /** Swaps the credential of every grant once. */
  rotate(): Promise<void> {
    return this.#forEach((number) => this.swap(number))
  }

  /** Picks so many grants at random, none twice. */
  someOf(count: number): number[] {
    const numbers = new Set<number>()
    while (numbers.size < count) numbers.add(Math.floor(Math.random() * this.count))
    return [...numbers]
  }

  /** Swaps the credential of one grant. */
  async swap(number: number): Promise<void> {
    const swaps = this.#swaps[number] ?? 0
    const { outcome } = await this.#store.swapCredential({
      tenantId: this.#tenantId(number),
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

  /** Swaps the credentials of some grants, so many at a time. */
  swapAll(numbers: readonly number[], inFlight: number): Promise<void> {
    return each(numbers.length, inFlight, (index) => this.swap(numbers[index] ?? 0))
  }

  /** Whose a grant is. */
  ownerOf(number: number): { tenantId: string; subject: string } {
    return { tenantId: this.#tenantId(number), subject: this.#subject(number) }
  }

  #tenantId(number: number): string {
    return this.#tenants === undefined ? likeness.tenantId : uuid(`tenant ${number % this.#tenants}`)
  }

  #subject(number: number): string {
    const customer = Math.floor(number / this.#perCustomer)
    return digest(`customer ${customer}`).toString('hex').slice(0, 40)
  }

  // As long as a real id, and with the same beginning for all grants of a customer.
  #grantId(number: number): string {
    return text(this.#subject(number), 9) + text(`grant ${number}`, 12)
  }

  #forEach(act: (number: number) => Promise<void>): Promise<void> {
    return each(this.count, this.#inFlight, act)
  }
}

/** Acts on all numbers from 0, so many at a time. */
async function each(count: number, inFlight: number, act: (number: number) => Promise<void>): Promise<void> {
  let taken = 0
  const actOnNext = async () => {
    while (taken < count) await act(taken++)
  }
  await Promise.all(Array.from({ length: inFlight }, actOnNext))
}

function newGrant(number: number, grantId: string, owner: { tenantId: string; subject: string }): NewGrant {
  return {
    ...likeness,
    ...owner,
    grantId,
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

function uuid(of: string): string {
  return digest(of)
    .toString('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function digest(of: string): Buffer {
  return createHash('sha256').update(of).digest()
}
