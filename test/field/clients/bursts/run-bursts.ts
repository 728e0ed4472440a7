import { Assistant, type Connect } from './assistant'
import type { BurstSite } from './site'

/** The result of one burst. */
export interface Burst {
  size: number
  /** Whether the customer had to sign in again. */
  signedOut: boolean
  /** How many of its requests failed, for whatever reason. */
  refused: number
  /** Whether it left the client with a refresh token that is not the newest. */
  olderKept: boolean
}

const assistants = 12

/**
 * Runs bursts of these sizes, many at a time. After each burst, a single request has to refresh. A customer whom a burst signs out signs
 * in again.
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

  // Some have one connection, because SDK 1 refreshes for only one request of a connection at a time; others have several.
  const all = Array.from({ length: Math.min(assistants, sizes.length) }, (_, index) => useAssistant(1 + (index % 4)))
  await Promise.all(all)
  return bursts
}
