import { generateKeyPairSync } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { createCustomerSignIn, MemoryTokenStore } from 'customer-sign-in'
import type { TokenStore } from 'customer-sign-in/store'
import express, { type Express } from 'express'

export const clientId = 'travel-assistant'
export const redirectUri = 'https://travel-assistant.example/callback'

/** How the store of the example is doing. */
export type Condition = 'well' | 'slow' | 'down'

/** A host whose store is slow or down at times, so that the dashboard has something to show. */
export interface Host {
  app: Express
  setStore(condition: Condition): void
}

export function createHost(baseUrl: string): Host {
  let condition: Condition = 'well'
  const signIn = createCustomerSignIn({
    baseUrl,
    keys: { signing: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey] },
    tokenStore: unsteady(new MemoryTokenStore(), () => condition),
    tenantStore: {
      findTenant: (key) => {
        if (key === 'acme') return { key, clients: [{ clientId, redirectUris: [redirectUri] }] }
        // Somebody has made a mistake in this company's record.
        return key === 'globex' ? { key, accessTokenLifetime: 86_400 } : undefined
      },
    },
    authenticate: ({ headers }) => ({ subject: String(headers['x-customer']) }),
    pages: { consent: false },
    clients: { documents: 'with-loopback' },
    onEvent: () => {},
  })
  const app = express()
  app.use(signIn)
  app.get('/v1/:tenantKey/bookings', signIn.requireAccessToken({ tenantKey: 'acme' }), (_req, res) => {
    res.json({ bookings: [] })
  })
  return {
    app,
    setStore: (next) => {
      condition = next
    },
  }
}

/** A store whose calls fail or take long, according to its condition. */
function unsteady(store: TokenStore, condition: () => Condition): TokenStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function' || name === 'constructor') return member
      return async (...args: unknown[]) => {
        if (condition() === 'down') throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
        if (condition() === 'slow') await setTimeout(700)
        return Reflect.apply(member, target, args)
      }
    },
  })
}
