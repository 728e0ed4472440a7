import type { Redis } from 'ioredis'
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'

const redeemable = ['AuthorizationCode', 'RefreshToken', 'DeviceCode', 'BackchannelAuthenticationRequest']
const grantable = new Set([...redeemable, 'AccessToken'])
// The example leaves the last one out, but oidc-provider 9 consumes it as well.
const consumable = new Set([...redeemable, 'PushedAuthorizationRequest'])

const grantKey = (grantId: string) => `oidc:grant:${grantId}`
const userCodeKey = (userCode: string) => `oidc:userCode:${userCode}`
const uidKey = (uid: string) => `oidc:uid:${uid}`

/**
 * Keeps oidc-provider's records in Redis with the commands of its own example, command by command
 * (github.com/panva/node-oidc-provider, example/adapters/redis.js).
 */
export function redisAdapter(redis: Redis): AdapterFactory {
  return (model) => new RedisAdapter(redis, model)
}

class RedisAdapter implements Adapter {
  readonly #redis: Redis
  readonly #model: string

  constructor(redis: Redis, model: string) {
    this.#redis = redis
    this.#model = model
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn = 0): Promise<void> {
    const key = this.#key(id)
    const multi = this.#redis.multi()
    const record = JSON.stringify(payload)
    if (consumable.has(this.#model)) multi.hset(key, { payload: record })
    else multi.set(key, record)
    if (expiresIn) multi.expire(key, expiresIn)
    if (grantable.has(this.#model) && payload.grantId) {
      const members = grantKey(payload.grantId)
      multi.rpush(members, key)
      if (expiresIn > (await this.#redis.ttl(members))) multi.expire(members, expiresIn)
    }
    if (payload.userCode) multi.set(userCodeKey(payload.userCode), id).expire(userCodeKey(payload.userCode), expiresIn)
    if (payload.uid) multi.set(uidKey(payload.uid), id).expire(uidKey(payload.uid), expiresIn)
    await multi.exec()
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    if (!consumable.has(this.#model)) return parsed(await this.#redis.get(this.#key(id)))
    const { payload, ...marks } = await this.#redis.hgetall(this.#key(id))
    return payload === undefined ? undefined : { ...marks, ...parsed(payload) }
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#findBy(uidKey(uid))
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#findBy(userCodeKey(userCode))
  }

  async consume(id: string): Promise<void> {
    await this.#redis.hset(this.#key(id), 'consumed', Math.floor(Date.now() / 1000))
  }

  async destroy(id: string): Promise<void> {
    await this.#redis.del(this.#key(id))
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    const multi = this.#redis.multi()
    const keys = await this.#redis.lrange(grantKey(grantId), 0, -1)
    for (const key of keys) multi.del(key)
    await multi.del(grantKey(grantId)).exec()
  }

  async #findBy(indexKey: string): Promise<AdapterPayload | undefined> {
    const id = await this.#redis.get(indexKey)
    return id === null ? undefined : this.find(id)
  }

  #key(id: string): string {
    return `oidc:${this.#model}:${id}`
  }
}

function parsed(record: string | null): AdapterPayload | undefined {
  return record === null ? undefined : JSON.parse(record)
}
