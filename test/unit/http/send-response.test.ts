import { createServer } from 'node:http'
import request from 'supertest'
import { sendResponse } from '../../../src/http/send-response'

describe('a response', () => {
  it.each([
    ['with a body', 'a page'],
    ['without one', undefined],
  ])('%s is sent even if writeHead returns nothing, as in Restify', async (_, body) => {
    const server = createServer((_req, res) => {
      const { writeHead } = res
      res.writeHead = ((...args: Parameters<typeof writeHead>) => {
        writeHead.apply(res, args)
      }) as unknown as typeof writeHead
      sendResponse(res, 201, { 'X-Sent': 'yes', 'Content-Type': 'text/plain' }, body)
    })
    const { headers, text } = await request(server).get('/').expect(201)
    expect({ text, sent: headers['x-sent'] }).toEqual({ text: body ?? '', sent: 'yes' })
  })
})
