import type { Profile } from '../servers/order'

/** The share of its time that a server spends in each part, in the order of the table. */
export type Shares = Record<string, number>

// The part that a place of a profile belongs to is the first one that matches. A name without a file is native code.
const parts: readonly [part: string, place: RegExp][] = [
  ['waiting', /^\(idle\)$/],
  ['garbage collector', /^\(garbage collector\)$/],
  ['jsonwebtoken and what it uses', /node_modules\/(jsonwebtoken|jws|jwa|ecdsa-sig-formatter|lodash[^/]*|semver|ms)\//],
  ['body-parser and what it uses', /node_modules\/(body-parser|raw-body|iconv-lite|on-finished|type-is|debug|bytes)\//],
  ['ioredis', /node_modules\/(ioredis|redis-parser|denque|standard-as-callback)\//],
  ['pg', /node_modules\/(pg|pg-[^/]+|postgres-[^/]+|pgpass)\//],
  ['Express and what it uses', /node_modules\//],
  ['customer-sign-in', /^dist\//],
  ['the floor itself', /servers\/(floor|fastest)\.js/],
  ['the benchmark', /bench\/dist\//],
  ['system calls that write', /^(writev|writeUtf8String|writeLatin1String|writeBuffer)$/],
  [
    'crypto',
    /^(node:(internal\/)?crypto|sign$|run$|Sign|init$|Hash|Hmac|digest$|oneShotDigest$|update$|RandomBytesJob$)/,
  ],
  ['Node: HTTP, streams, timers, promises', /^(node:|runMicrotasks)/],
  ['native code, and the kernel', /^/],
]

/** Divides the time of a profile among its parts. Waiting does not count. */
export function sharesOf(profile: Profile): Shares {
  const shares: Shares = Object.fromEntries(parts.map(([part]) => [part, 0]))
  for (const [place, microseconds] of profile) {
    const [part = ''] = parts.find(([, belongs]) => belongs.test(place)) ?? []
    shares[part] = (shares[part] ?? 0) + microseconds
  }
  const { waiting: _, ...busy } = shares
  const sum = Object.values(busy).reduce((total, each) => total + each, 0)
  return Object.fromEntries(Object.entries(busy).map(([part, microseconds]) => [part, microseconds / sum]))
}
