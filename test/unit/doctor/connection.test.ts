import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { freePort } from '../../../scripts/free-port'
import { deployed, found, listening } from '../../support/deployment'

describe('the doctor says why there is no answer', () => {
  it('if nothing listens', async () => {
    expect(await found(`http://127.0.0.1:${await freePort()}`)).toEqual(['api: refused'])
  })

  it('if DNS does not know the host, or does not answer', async () => {
    const [finding] = await found('http://assistant.invalid', { timeLimit: 50_000 })
    expect(['api: dns', 'api: dns-server']).toContain(finding)
  })

  it('if something else than HTTP is there', async () => {
    const mail = createServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end('220 mail.example ESMTP\r\n'),
    )
    await once(mail.listen(0, '127.0.0.1'), 'listening')
    const { port } = mail.address() as AddressInfo
    expect(await found(`http://127.0.0.1:${port}`)).toEqual(['api: not-http'])
    await once(mail.close(), 'close')
  })

  it('if the server hangs', async () => {
    const { port } = await listening()
    expect(await found(`http://127.0.0.1:${port}`, { timeLimit: 300 })).toEqual(['api: timeout'])
  })

  it('if an http server is at the port of https', async () => {
    const origin = await deployed()
    expect(await found(origin.replace('http:', 'https:'))).toEqual(['api: tls-plain-http'])
  })
})
