import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { MemoryTokenStore } from 'customer-sign-in'
import express from 'express'
import request from 'supertest'
import { describeWith } from '../../support/describe-with'
import { root } from '../pages'
import { runSnippet } from './run-snippet'

// Fastify brings it.
const pino = join(root, 'test/field/other-clients/node_modules/pino')

describeWith('pino, which Fastify brings,', existsSync(pino))('onEvent as docs/events.md writes it', () => {
  it('lets pino say what has failed', async () => {
    jest.spyOn(process, 'emitWarning').mockImplementation()
    const lines = new PassThrough({ encoding: 'utf8' })
    const tenantStore = { findTenant: () => Promise.reject(new Error('connect ECONNREFUSED 127.0.0.1:5432')) }
    const given = { tenantStore, tokenStore: new MemoryTokenStore(), log: require(pino)(lines) }
    const { signIn } = await runSnippet('docs/events.md', 'log.error(event, event.where)', given)
    const [[line]] = await Promise.all([
      once(lines, 'data'),
      request(express().use(signIn)).get('/.well-known/oauth-authorization-server/v1/acme/oauth').expect(503),
    ])
    expect(JSON.parse(line)).toMatchObject({
      msg: 'metadata',
      reason: 'tenant_store_failed',
      error: { message: 'connect ECONNREFUSED 127.0.0.1:5432', stack: expect.stringContaining('logging.test') },
    })
  })
})
