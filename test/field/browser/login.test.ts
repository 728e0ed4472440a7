import express from 'express'
import { decode } from 'jsonwebtoken'
import type { Page } from 'playwright-core'
import { describeWithBrowser } from '../../support/browser'
import { allow, companies, site, Visit } from '../../support/visit'

/** A visit to a host that has its own login page and a separate session for each company. */
async function visitLoggedOut(): Promise<Visit> {
  const { origin } = await site((app) => {
    const form = '<form method="post"><label>Name <input name="name"></label><button>Log in</button></form>'
    app.get('/login', (_req, res) => res.send(form))
    app.post('/login', express.urlencoded({ extended: false }), ({ query, body }, res) => {
      res.cookie(`customer_of_${query.company}`, body.name).redirect(303, String(query.next))
    })
  })
  return Visit.start({
    authenticate: ({ headers }, res, { url, tenant, prompt }) => {
      const [, name] = new RegExp(`customer_of_${tenant.key}=([^;]+)`).exec(headers.cookie ?? '') ?? []
      if (name && !prompt.includes('login')) return { subject: name, name }
      res
        .writeHead(303, { Location: `${origin}/login?${new URLSearchParams({ company: tenant.key, next: url })}` })
        .end()
    },
  })
}

async function logIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByText(`You are signed in as ${name}.`).waitFor()
}

describeWithBrowser('a customer who is not logged in', () => {
  it('logs in on the host’s own page, and goes on from there', async () => {
    const visit = await visitLoggedOut()
    const request = visit.request()
    await visit.open(request)
    await logIn(visit.page, 'ada')
    await allow(visit.page)
    const { access_token } = await visit.tokens(request, await visit.back())
    expect(decode(access_token)).toMatchObject({ sub: 'ada' })
  })

  it('logs in again if the client asks for it, and only once', async () => {
    const visit = await visitLoggedOut()
    await visit.open(visit.request())
    await logIn(visit.page, 'ada')

    const request = visit.request({ prompt: 'login' })
    await visit.open(request)
    await logIn(visit.page, 'grace')
    await allow(visit.page)
    const { access_token } = await visit.tokens(request, await visit.back())
    expect(decode(access_token)).toMatchObject({ sub: 'grace' })
  })
})

describeWithBrowser('a customer with two tabs', () => {
  it('connects to two companies at the same time, as a different person at each', async () => {
    const visit = await visitLoggedOut()
    const tabs = await Promise.all(
      companies.map(async ({ key }) => {
        const page = await visit.page.context().newPage()
        const request = visit.request({ state: `from ${key}` }, key)
        await visit.open(request, page)
        return { key, page, request }
      }),
    )
    for (const { key, page } of tabs) await logIn(page, `ada-of-${key}`)

    for (const { key, page, request } of tabs.reverse()) {
      await allow(page)
      const answer = await visit.back(page)
      expect(Object.fromEntries(answer)).toMatchObject({ state: `from ${key}`, iss: visit.host.issuer(key) })
      const { access_token } = await visit.tokens(request, answer)
      expect(decode(access_token)).toMatchObject({ iss: visit.host.issuer(key), sub: `ada-of-${key}` })
    }
  })

  it('is asked again after logging in as somebody else, and never answers for the customer before', async () => {
    const visit = await visitLoggedOut()
    const request = visit.request()
    await visit.open(request)
    await logIn(visit.page, 'ada')

    const other = await visit.page.context().newPage()
    await visit.open(visit.request({ prompt: 'login' }), other)
    await logIn(other, 'grace')

    await allow(visit.page)
    await visit.page.getByText('You are signed in as grace.').waitFor()
    expect((await visit.host.signIn.grants.list({ tenantKey: 'acme', subject: 'ada' })).grants).toEqual([])
    await allow(visit.page)
    const { access_token } = await visit.tokens(request, await visit.back())
    expect(decode(access_token)).toMatchObject({ sub: 'grace' })
  })
})
