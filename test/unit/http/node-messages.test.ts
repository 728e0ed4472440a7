import { responseBegins } from '../../../src/http/node-messages'
import { HostApp } from '../../support/host-app'

describe('a response', () => {
  it.each([true, false])('that has sent its headers when the time is up has begun: %s', async (sends) => {
    const outcomes: Promise<boolean>[] = []
    const app = await HostApp.start(() => (_req, res) => {
      outcomes.push(responseBegins(res, 50).finally(() => res.end()))
      if (sends) res.flushHeaders()
    })
    await fetch(app.origin).then((answer) => answer.text())
    await app.stop()
    expect(await Promise.all(outcomes)).toEqual([sends])
  })
})
