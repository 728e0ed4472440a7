import type { Exchange, Held, Presenting, Seen, TokenEndpoint } from './token-endpoint'

/** The terms of a check. Times are seconds. */
export interface Terms {
  /** How many requests a burst has. */
  sizes: number[]
  /** After how long a client, or its second process, presents a token again. */
  waits: number[]
  /** How much later than its client, or than the thief, somebody presents a token of a theft. */
  late: number
  /** How often each story is played. */
  rounds: number
}

/** What happens to one refresh token, and to those that follow it. */
export interface Story {
  kind:
    | 'in turn'
    | 'burst'
    | 'answer lost'
    | 'request cut'
    | 'two processes'
    | 'thief late'
    | 'thief first'
    | 'wrong request'
  /** The size of the burst, the seconds of the wait, or what is wrong. */
  with?: number | string
  history: Exchange[]
}

/** A story with the most requests that it sends, if the server answers none of them with 429 or 503. */
export interface Plan extends Story {
  requests: number
  /** Seconds. */
  wait: number
  play(actors: Actors): Promise<void>
}

const untilSettled = 200
const patience = 5

/** Presents the tokens of one story. */
export class Actors {
  readonly #endpoint: TokenEndpoint
  readonly #history: Exchange[]
  readonly #held: Held

  constructor(endpoint: TokenEndpoint, history: Exchange[], held: Held) {
    this.#endpoint = endpoint
    this.#history = history
    this.#held = held
  }

  /** The token that the story begins with. */
  get first(): string {
    return this.#held.token
  }

  present(token: string, presenting: Presenting): Promise<Seen> {
    return this.#endpoint.present(this.#history, { ...this.#held, token }, presenting)
  }

  /** Presents a token, and again while the server is busy or the connection breaks. @returns The token to go on with, if there is one. */
  async refresh(token: string, by: Presenting['by'] = 'client'): Promise<string | undefined> {
    for (let attempt = 1; ; attempt++) {
      const seen = await this.present(token, { by })
      if (!isUndecided(seen.answer) || attempt === patience) return seen.token
      await seconds(attempt)
    }
  }
}

/** Whether an honest client keeps its token and tries again. */
export function isUndecided(answer: Exchange['answer']): boolean {
  return answer === 'lost' || answer === 429 || answer === 503
}

/** The stories of a check. Each needs a refresh token of its own. */
export function storiesOf({ sizes, waits, late, rounds }: Terms): Plan[] {
  const once = [
    inTurn(),
    ...sizes.map(burst),
    ...waits.map(answerLost),
    requestCut(),
    ...waits.map(twoProcesses),
    thiefLate(late),
    thiefFirst(late),
  ]
  return [...Array.from({ length: rounds }, () => once).flat(), ...Object.keys(wrongs).map(wrongRequest)].map(
    (plan) => ({
      ...plan,
      history: [],
    }),
  )
}

type Sketch = Omit<Plan, 'history'>

function inTurn(): Sketch {
  return {
    kind: 'in turn',
    requests: 3,
    wait: 0,
    async play(actors) {
      let token: string | undefined = actors.first
      for (let turn = 0; turn < 3 && token !== undefined; turn++) token = await actors.refresh(token)
    },
  }
}

/** A client sends several requests at once, as assistants do when several of their windows need a token. */
function burst(size: number): Sketch {
  return {
    kind: 'burst',
    with: size,
    requests: 2 * size,
    wait: 0,
    async play(actors) {
      const tokens: string[] = []
      const one = async () => {
        const { token } = await actors.present(actors.first, { by: 'client' })
        if (token !== undefined) tokens.push(token)
      }
      await Promise.all(Array.from({ length: size }, one))
      await new Promise((resolve) => setTimeout(resolve, untilSettled))
      // The client keeps what came last. Its token is presented first, so that no probe of another ends it.
      for (const token of new Set(tokens.reverse())) await actors.refresh(token, 'probe')
    },
  }
}

function answerLost(wait: number): Sketch {
  return {
    kind: 'answer lost',
    with: wait,
    requests: 3,
    wait,
    async play(actors) {
      await actors.present(actors.first, { by: 'client', cut: 'answer' })
      await seconds(wait)
      await goOnWith(actors)
    },
  }
}

/** The client hangs up while the server is at work, and tries again at once. */
function requestCut(): Sketch {
  return {
    kind: 'request cut',
    requests: 3,
    wait: 0,
    async play(actors) {
      await actors.present(actors.first, { by: 'client', cut: 'request' })
      await goOnWith(actors)
    },
  }
}

async function goOnWith(actors: Actors): Promise<void> {
  const token = await actors.refresh(actors.first)
  if (token !== undefined) await actors.refresh(token)
}

/** Two processes have read the same token from a file. One refreshes; later, so does the other. */
function twoProcesses(wait: number): Sketch {
  return {
    kind: 'two processes',
    with: wait,
    requests: 3,
    wait,
    async play(actors) {
      const token = await actors.refresh(actors.first)
      if (token === undefined) return
      await seconds(wait)
      await actors.refresh(actors.first, 'other process')
      await actors.refresh(token)
    },
  }
}

/** A thief presents a token that its client has used. */
function thiefLate(wait: number): Sketch {
  return {
    kind: 'thief late',
    with: wait,
    requests: 3,
    wait,
    async play(actors) {
      const token = await actors.refresh(actors.first)
      if (token === undefined) return
      await seconds(wait)
      await actors.refresh(actors.first, 'thief')
      await actors.refresh(token)
    },
  }
}

/** A thief uses a token before its client does. */
function thiefFirst(wait: number): Sketch {
  return {
    kind: 'thief first',
    with: wait,
    requests: 3,
    wait,
    async play(actors) {
      const stolen = await actors.refresh(actors.first, 'thief')
      if (stolen === undefined) return
      await seconds(wait)
      await actors.refresh(actors.first)
      await actors.refresh(stolen, 'thief')
    },
  }
}

const wrongs: Record<string, Record<string, string>> = {
  'another client': { client_id: 'a-client-that-nobody-knows' },
  'a scope that was not granted': { scope: 'a-scope-that-nobody-granted' },
  'a resource that was not granted': { resource: 'https://nobody-granted-this.example/' },
  'an unknown grant type': { grant_type: 'urn:example:no-grant-type' },
}

/** A request that must be refused, and then the right one. */
function wrongRequest(wrong: string): Sketch {
  return {
    kind: 'wrong request',
    with: wrong,
    requests: 2,
    wait: 0,
    async play(actors) {
      const { token } = await actors.present(actors.first, { by: 'client', wrong, parameters: wrongs[wrong] ?? {} })
      await actors.refresh(token ?? actors.first)
    },
  }
}

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1000))
}
