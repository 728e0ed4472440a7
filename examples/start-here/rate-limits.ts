import type { Request, RequestHandler, Response } from 'express'
import { type ClientRateLimitInfo, ipKeyGenerator, type Options, rateLimit, type Store } from 'express-rate-limit'
import type { Pool } from 'pg'

/** Counts in PostgreSQL, where all processes see them. Delete what has ended now and then: where ends_at < now(). */
class PostgresCounts implements Store {
  readonly prefix: string
  readonly #pool: Pool
  #windowMs = 60_000

  constructor(pool: Pool, name: string) {
    this.#pool = pool
    this.prefix = `${name} `
  }

  init({ windowMs }: Options): void {
    this.#windowMs = windowMs
  }

  /** One atomic step: counts, or begins again if the time is over. */
  async increment(key: string): Promise<ClientRateLimitInfo> {
    const { rows } = await this.#pool.query(
      `insert into rate_limits values ($1, 1, now() + $2 * interval '1 ms')
       on conflict (key) do update set
         hits = case when rate_limits.ends_at <= now() then 1 else rate_limits.hits + 1 end,
         ends_at = case when rate_limits.ends_at <= now() then excluded.ends_at else rate_limits.ends_at end
       returning hits, ends_at`,
      [this.prefix + key, this.#windowMs],
    )
    return { totalHits: rows[0].hits, resetTime: rows[0].ends_at }
  }

  async decrement(key: string): Promise<void> {
    await this.#pool.query('update rate_limits set hits = hits - 1 where key = $1', [this.prefix + key])
  }

  async resetKey(key: string): Promise<void> {
    await this.#pool.query('delete from rate_limits where key = $1', [this.prefix + key])
  }
}

function tooMany(res: Response): void {
  res.status(429).set({ 'Retry-After': '60', 'Cache-Control': 'no-store', 'Access-Control-Allow-Origin': '*' })
  res.json({ error: 'too_many_requests', error_description: 'Try again in a minute' })
}

// Each minute begins with a first request, so twice as many can come around its end.
const requestsAMinute = { register: 20, authorize: 60, revoke: 600, jwks: 600 }
const routesOf = (name: string) => [`/v1/:tenantKey/oauth/${name}`, `/oauth/${name}`]

/** The limits in front of each endpoint, with their paths. */
export function rateLimits(pool: Pool): [paths: string[], limit: RequestHandler][] {
  const limited = (name: string, limit: number, more: Partial<Options> = {}) =>
    rateLimit({
      windowMs: 60_000,
      limit,
      ipv6Subnet: 64,
      store: new PostgresCounts(pool, name),
      passOnStoreError: true, // without PostgreSQL, nobody is limited
      skip: ({ method }) => method === 'OPTIONS',
      handler: (_req, res) => tooMany(res),
      ...more,
    })
  return [
    ...Object.entries(requestsAMinute).map(([name, limit]): [string[], RequestHandler] => [
      routesOf(name),
      limited(name, limit),
    ]),
    [['/.well-known'], limited('well-known', 600)],
    [routesOf('token'), refusedAtMost(300, new PostgresCounts(pool, 'token'))],
  ]
}

/**
 * Of the token endpoint, only refusals are counted: a hosted assistant refreshes for all of its customers from a few addresses. A request that is
 * not refused costs no statement.
 */
function refusedAtMost(limit: number, counts: PostgresCounts): RequestHandler {
  const refusedUntil = new Map<string, number>()

  async function count(address: string): Promise<void> {
    const { totalHits, resetTime } = await counts.increment(address)
    if (refusedUntil.size >= 10_000) refusedUntil.clear()
    if (totalHits >= limit && resetTime) refusedUntil.set(address, resetTime.getTime())
  }

  return (req: Request, res, next) => {
    const address = ipKeyGenerator(req.ip ?? '', 64)
    if ((refusedUntil.get(address) ?? 0) > Date.now()) return tooMany(res)
    res.once('finish', () => {
      const isRefused = res.statusCode >= 400 && res.statusCode < 500
      if (isRefused) count(address).catch((error) => console.error('rate limit:', error.message))
    })
    next()
  }
}
