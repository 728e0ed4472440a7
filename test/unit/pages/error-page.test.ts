import { MemoryTenantStore, OAuthError } from 'customer-sign-in'
import request from 'supertest'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { textOf, unescaped } from '../../support/consent-form'
import { elementsOf } from '../../support/html-elements'
import { redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

const failing = (error: Error) =>
  started({ authenticate: asTheySay, tenantStore: { findTenant: () => Promise.reject(error) } })

describe('the error page', () => {
  it('tells the customer what to do, and the developer of the app what is wrong', async () => {
    const host = await started({ authenticate: asTheySay })
    const page = expectErrorPage(await new Authorization(host, { redirect_uri: 'https://evil.example' }).open())
    const text = textOf(page)
    expect(text).toContain('This may be a trick. Please do not try again')
    expect(text).toContain('redirect_uri is not registered for this client (unauthorized_client)')
    expect(elementsOf(page)).toEqual([
      ...['html lang dir', 'head', 'meta charset', 'meta name content', 'title', '/title', 'style', '/style', '/head'],
      ...[
        'body',
        'main',
        'p class',
        'bdi',
        '/bdi',
        '/p',
        'h1',
        '/h1',
        'p',
        '/p',
        'p class',
        'span lang dir',
        '/span',
        '/p',
        '/main',
        '/body',
        '/html',
      ],
    ])
  })

  it('says whose page it is, and leads back there', async () => {
    const home = 'https://acme.example/start'
    const tenantStore = new MemoryTenantStore([{ key: 'acme', name: 'Acme Air', links: { home } }])
    const host = await started({
      authenticate: asTheySay,
      tenantStore,
      pages: { links: { home: 'https://travel.example' } },
    })
    const page = expectErrorPage(await new Authorization(host, { client_id: 'nobody' }).open())
    expect(page).toContain('<p class="company"><bdi>Acme Air</bdi></p>')
    expect(page).toContain(`<a class="button quiet" href="${home}">Back to <bdi>Acme Air</bdi></a>`)
    const none = expectErrorPage(await new Authorization(host, {}, 'nobody').open(), 404)
    expect(none).toContain(
      '<a class="button quiet" href="https://travel.example">Back to <bdi>travel.example</bdi></a>',
    )
    expect(textOf(none)).toContain('There is no company at this address. Please check the address')
  })

  it('asks for patience if the fault is not in the app', async () => {
    const host = await failing(new Error('The database is down at 10.0.0.5'))
    const response = await new Authorization(host).open()
    const text = textOf(expectErrorPage(response, 503))
    expect(text).toContain('try again in a moment')
    expect(text).not.toContain('10.0.0.5')
  })

  it('says that an app’s address did not answer, and that nothing is wrong with the account', async () => {
    const host = await started({ authenticate: asTheySay, clients: { fetch: () => Promise.reject(new Error()) } })
    const response = await new Authorization(host, { client_id: 'https://assistant.example/client.json' }).open()
    const text = textOf(expectErrorPage(response, 503))
    expect(text).toContain('that address did not answer. Nothing is wrong with your account')
    expect(text).toContain('(temporarily_unavailable)')
    expect(response.headers['retry-after']).toBe('5')
  })

  it('shows the company’s logo, and allows no other picture', async () => {
    const tenantStore = new MemoryTenantStore([{ key: 'acme', logoUri: 'https://cdn.acme.example/logo.svg' }])
    const host = await started({ authenticate: asTheySay, tenantStore })
    const response = await new Authorization(host, { client_id: 'nobody' }).open()
    expect(expectErrorPage(response)).toContain('<img src="https://cdn.acme.example/logo.svg" alt="">')
    expect(response.headers['content-security-policy']).toMatch(/; img-src https:\/\/cdn\.acme\.example$/)
  })

  it('cannot be framed, runs no script, and is never cached', async () => {
    const host = await started({ authenticate: asTheySay })
    const { headers } = await new Authorization(host, { client_id: 'nobody' }).open()
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; .*frame-ancestors 'none'/,
      ),
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
    })
    expect(headers).not.toHaveProperty('www-authenticate')
  })

  it('shows whatever a host’s own error says as text', async () => {
    const host = await failing(new OAuthError('not_found', '<script>alert(1)</script> & "more"', { status: 404 }))
    const page = expectErrorPage(await new Authorization(host).open(), 404)
    expect(elementsOf(page)).not.toContain('script')
    expect(textOf(page)).toContain("<script>alert(1)</script> & 'more'")
  })

  it('repeats nothing from the request', async () => {
    const host = await started({ authenticate: asTheySay })
    const phrase = 'Your account is locked, call 555-0100'
    for (const parameters of [{ client_id: phrase }, { redirect_uri: phrase }, { redirect_uri: '', state: phrase }]) {
      expect(expectErrorPage(await new Authorization(host, parameters).open())).not.toContain('555')
    }
  })
})

describe('the link that tries again', () => {
  /** The page for a document that cannot be fetched until `mend` is called. */
  async function unfetched() {
    const client_id = 'https://assistant.example/client.json'
    const document = { client_id, client_name: 'Assistant', redirect_uris: [redirectUri] }
    let isAway = true
    const host = await started({
      authenticate: asTheySay,
      clients: {
        fetch: async () =>
          new Response(JSON.stringify(document), {
            status: isAway ? 503 : 200,
            headers: { 'Content-Type': 'application/json' },
          }),
      },
    })
    const mend = () => {
      isAway = false
    }
    return { host, client_id, mend }
  }

  const linkIn = (page: string) => unescaped(/<a class="button" href="([^"]*)">Try again<\/a>/.exec(page)?.[1] ?? '')

  it('repeats the same request at the same address, whatever is in it', async () => {
    const { host, client_id, mend } = await unfetched()
    const state = `"><a href="//evil.example">&amp;'`
    const authorization = new Authorization(host, { client_id, state, next: 'https://evil.example' })
    const page = expectErrorPage(await authorization.open(), 503)
    const address = new URL(authorization.path, host.url)
    expect(elementsOf(page).filter((element) => element.startsWith('a '))).toEqual(['a class href'])
    expect(new URL(linkIn(page), address).href).toBe(address.href)
    mend()
    await request(host.url)
      .get(`${address.pathname}${linkIn(page)}`)
      .set('X-Customer', 'customer-1')
      .expect(200)
  })

  it('is not there where trying again is of no use', async () => {
    const { host } = await unfetched()
    expect(linkIn(expectErrorPage(await new Authorization(host, { client_id: 'nobody' }).open()))).toBe('')
  })
})
