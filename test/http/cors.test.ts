import { createServer } from 'node:http'
import request from 'supertest'
import { answerPreflight } from '../../src/http/cors'

/** A server that says for itself what is no preflight. */
const server = () =>
  createServer((req, res) => {
    if (!answerPreflight(req, res)) res.end('no preflight')
  })

describe('a preflight', () => {
  it('lets pages of any origin send what the endpoints read, and asks again after ten minutes', async () => {
    const { headers, text } = await request(server()).options('/').expect(204)
    expect({ text, ...headers }).toMatchObject({
      text: '',
      'content-length': '0',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': 'Authorization, Content-Type, MCP-Protocol-Version',
      'access-control-expose-headers': 'WWW-Authenticate, Retry-After',
      'access-control-max-age': '600',
      'x-content-type-options': 'nosniff',
    })
  })

  it.each(['get', 'post', 'put'] as const)('is no request by %s', async (method) => {
    const { text } = await request(server())[method]('/').expect(200)
    expect(text).toBe('no preflight')
  })
})
