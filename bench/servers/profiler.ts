import { Session } from 'node:inspector/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Profile } from './order'

const session = new Session()
const repository = join(__dirname, '..', '..', '..', '..')

/** Starts to record every 100 microseconds which function this process is in. */
export async function startProfile(): Promise<void> {
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 100 })
  await session.post('Profiler.start')
}

export async function endProfile(): Promise<Profile> {
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  const places = new Map(profile.nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]))
  const costs = new Map<string, number>()
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const place = places.get(id) ?? ''
    costs.set(place, (costs.get(place) ?? 0) + (profile.timeDeltas?.[index] ?? 0))
  }
  return [...costs].sort(([, one], [, other]) => other - one)
}

function placeOf({ url, functionName, lineNumber }: { url: string; functionName: string; lineNumber: number }): string {
  const file = url.startsWith('file:') ? relative(repository, fileURLToPath(url)) : url
  return file === '' ? functionName : `${file}:${lineNumber + 1} ${functionName || '(anonymous)'}`
}
