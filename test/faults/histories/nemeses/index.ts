import type { StoreKind } from '../stores/campaign-store'
import { calm } from './calm'
import { cluster } from './cluster'
import { everything } from './everything'
import { front } from './front'
import { hostFaults } from './hosts'
import type { Nemesis } from './nemesis'
import { postgresFaults } from './postgres'
import { redisDown } from './redis-down'
import { redisNetwork } from './redis-network'

/** All nemeses, in the order of the report. */
const nemeses: readonly Nemesis[] = [
  ...calm,
  ...redisDown,
  ...redisNetwork,
  ...hostFaults,
  ...front,
  cluster,
  ...postgresFaults,
  ...everything,
]

/** The nemeses of a kind of store. */
export function nemesesOf(kind: StoreKind): Nemesis[] {
  const places: Nemesis['on'][] = kind === 'redis' ? ['any store', 'redis', 'cluster'] : ['any store', kind]
  return nemeses.filter(({ on }) => places.includes(on))
}

/** @throws {Error} if there is none of that name. */
export function nemesisNamed(name: string): Nemesis {
  const found = nemeses.find((nemesis) => nemesis.name === name)
  if (found) return found
  throw new Error(
    `There is no nemesis "${name}". The nemeses are: ${nemeses.map((nemesis) => nemesis.name).join('; ')}`,
  )
}
