import { Authorization } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { started } from '../../support/started'

/** A host whose login never lasts, as one has whose cookie the browser does not send. */
async function endless() {
  const host = await started({
    authenticate: (_req, res, { url }) =>
      void res.writeHead(303, { Location: `https://your.host/login?next=${encodeURIComponent(url)}` }).end(),
  })
  const loops = async () => (await host.told('error')).filter(({ reason }) => reason === 'login_loop')
  return { host, loops }
}

async function times(count: number, authorization: Authorization): Promise<void> {
  for (let visit = 0; visit < count; visit++) expect((await authorization.open()).status).toBe(303)
}

afterEach(releaseClock)

describe('a customer who is asked to log in again and again', () => {
  it('is told of once, with what authenticate answered and no part of the request', async () => {
    const { host, loops } = await endless()
    const authorization = new Authorization(host)
    await times(2, authorization)
    expect(await loops()).toEqual([])
    await times(3, authorization)
    const [event, ...others] = await loops()
    expect(others).toEqual([])
    expect(event).toMatchObject({ where: 'authorize', tenantKey: 'acme', clientId: expect.any(String) })
    expect(event?.error.message).toBe(
      'authenticate found no customer 3 times for one sign-in, and answered with 303 and https://your.host/login. Does the browser send the cookie of the session?',
    )
  })

  it('is one who comes with the same request within ten minutes', async () => {
    const clock = stopClock()
    const { host, loops } = await endless()
    const [one, other] = [new Authorization(host, { state: 'one' }), new Authorization(host, { state: 'other' })]
    await times(2, one)
    await times(2, other)
    clock.advance(601)
    await times(1, one)
    await times(1, other)
    expect(await loops()).toEqual([])
    await times(2, one)
    expect(await loops()).toHaveLength(1)
  })

  it('is not one who is logged in', async () => {
    const host = await started({ authenticate: () => ({ subject: 'customer-1' }) })
    const authorization = new Authorization(host)
    for (let visit = 0; visit < 4; visit++) expect((await authorization.open()).status).toBe(200)
    expect(await host.told('error')).toEqual([])
  })

  it('is told of once a minute, whatever strangers send, who only make the server forget', async () => {
    const clock = stopClock()
    const { host, loops } = await endless()
    for (let stranger = 0; stranger < 5; stranger++) await times(3, new Authorization(host, { state: `${stranger}` }))
    expect(await loops()).toHaveLength(1)
    clock.advance(61)
    const customer = new Authorization(host, { state: 'customer' })
    await times(2, customer)
    for (let stranger = 0; stranger < 1000; stranger++)
      await times(1, new Authorization(host, { state: `s${stranger}` }))
    await times(1, customer)
    expect(await loops()).toHaveLength(1)
    await times(2, customer)
    expect(await loops()).toHaveLength(2)
  })
})
