import express from 'express'
import type { Page } from 'playwright-core'
import { site, Visit } from './visit'

/** A visit to a host that has its own login page and a separate session for each company. */
export async function visitLoggedOut(): Promise<Visit> {
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

/** Logs in on the page of that host, and waits for the page that asks for consent. */
export async function logIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByText(`You are signed in as ${name}.`).waitFor()
}
