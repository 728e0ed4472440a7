import { Assistant, type Connect } from './assistant'
import type { BurstSite } from './site'

/** What came of one burst. */
export interface Burst {
  size: number
  /** Whether the customer had to sign in again. */
  signedOut: boolean
  /** How many of its requests failed, whatever for. */
  refused: number
  /** Whether it left the client with a refresh token that is not the newest. */
  olderKept: boolean
}

const assistants = 12

/**
 * Bursts of these sizes, many at a time, each followed by a single request that has to refresh. Who is signed out by one signs in
 * again.
 */
export async function runBursts(connect: Connect, site: BurstSite, sizes: readonly number[]): Promise<Burst[]> {
  const bursts: Burst[] = []
  const left = [...sizes]

  async function useAssistant(connections: number): Promise<void> {
    let assistant: Assistant | undefined
    for (let size = left.shift(); size !== undefined; size = left.shift()) {
      assistant ??= await Assistant.connected(connect, site, connections)
      const refused = await assistant.burst(size)
      const olderKept = assistant.keepsOlderToken
      const refreshed = await assistant.refreshes()
      const signedOut = !refreshed || assistant.isSignedOut
      bursts.push({ size, signedOut, refused, olderKept })
      if (!signedOut) continue
      await assistant.close()
      assistant = undefined
    }
    await assistant?.close()
  }

  // Some have one connection, as SDK 1 lets but one request of a connection refresh at a time; others several.
  const all = Array.from({ length: Math.min(assistants, sizes.length) }, (_, index) => useAssistant(1 + (index % 4)))
  await Promise.all(all)
  return bursts
}
