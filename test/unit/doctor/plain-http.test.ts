import { freePort } from '../../../scripts/free-port'
import { checkPlainHttp } from '../../../src/doctor/steps/api'
import { Visit } from '../../../src/doctor/visit'
import { deployed, listening } from '../../support/deployment'

/** What the doctor says about an address with http, beside one with https. */
async function foundAt(url: string): Promise<string[]> {
  const visit = new Visit(url)
  await checkPlainHttp(visit, url)
  return visit.seen.map(({ code }) => code)
}

describe('an API on https that also answers http', () => {
  it('is found', async () => {
    expect(await foundAt(`${await deployed()}/v1/acme/mcp`)).toEqual(['plain-http'])
  })

  it('is not waited for as long as other answers are, because many firewalls drop what is sent there', async () => {
    const visit = new Visit('https://assistant.example')
    visit.wire.ask = jest.fn().mockRejectedValue(new Error('No answer'))
    await checkPlainHttp(visit, 'http://assistant.example')
    expect(visit.wire.ask).toHaveBeenCalledWith('http://assistant.example', { timeLimit: 5000 })
    expect(visit.seen).toEqual([])
  })

  it('is right if it redirects, or if nothing listens', async () => {
    const { port, answer } = await listening()
    answer((_req, res) => res.writeHead(308, { Location: 'https://assistant.example/' }).end())
    expect(await foundAt(`http://127.0.0.1:${port}/`)).toEqual([])
    expect(await foundAt(`http://127.0.0.1:${await freePort()}/`)).toEqual([])
  })
})
