import assert from 'node:assert/strict'
import { UnauthorizedError } from '@modelcontextprotocol/client'
import type { Page } from 'playwright-core'
import { launchChromium } from '../../scripts/chromium'
import { Callback } from './callback'
import { Assistant } from './client'
import { print, shownFetch, step } from './wire'

/**
 * Plays a customer with a browser and an assistant, from the first call of a tool to the end of the connection. Rejects at the first
 * answer that is not as it should be.
 */
export async function walk(host: string): Promise<void> {
  const browser = await launchChromium()
  const callback = await Callback.listen()
  const assistant = new Assistant(`${host}/v1/acme/mcp`, callback.redirectUri, shownFetch)
  try {
    const page = await browser.newPage()
    await connect(assistant, page, callback)
    await stepUp(assistant, page, callback)
    await refresh(assistant)
    await disconnect(assistant, page, `${host}/v1/acme/apps`)
  } finally {
    callback.close()
    await browser.close()
  }
}

async function connect(assistant: Assistant, page: Page, callback: Callback): Promise<void> {
  step('The assistant knows one address, and calls a tool there. It is refused, finds the sign-in, and registers')
  await assert.rejects(assistant.call('who_am_i'), UnauthorizedError)

  step('It opens the browser. The customer is not logged in at Acme Air yet, and logs in')
  await page.goto(String(assistant.session.authorizationUrl))
  await shows(page, 'Log in to Acme Air')
  await page.getByLabel('Your name').fill('Ada')
  await page.getByRole('button', { name: 'Log in' }).click()

  step('The consent page asks the customer, who presses Allow. The browser goes back to the assistant')
  const answer = await allow(page, callback)
  assert(assistant.session.expects(answer))

  step('The assistant redeems its code for tokens, and calls the tool again')
  await assistant.finishSignIn(answer)
  await saysWho(assistant)
}

async function stepUp(assistant: Assistant, page: Page, callback: Callback): Promise<void> {
  step('It calls a tool that needs more. It is refused, and asks the customer for that too')
  await assert.rejects(assistant.call('book_trip'), UnauthorizedError)
  assert.equal(assistant.session.authorizationUrl?.searchParams.get('scope'), 'profile trips:write')
  await page.goto(String(assistant.session.authorizationUrl))
  await page.getByText('Book and cancel trips for you').waitFor()
  const answer = await allow(page, callback)
  assert(assistant.session.expects(answer))

  step('With its new tokens, it can use both tools')
  await assistant.finishSignIn(answer)
  assert.equal(await assistant.call('book_trip'), 'Booked for Ada with Acme Air')
  print('book_trip: Booked for Ada with Acme Air')
  await saysWho(assistant)
}

/** Presses Allow on the consent page. @returns What the browser brings back to the assistant. */
async function allow(page: Page, callback: Callback): Promise<URLSearchParams> {
  await shows(page, 'Connect Travel Assistant to Acme Air?')
  const answer = callback.answer()
  // A key, because a click counts only after the mouse has been over the page for a while.
  await page.getByRole('button', { name: 'Allow' }).press('Enter')
  await shows(page, 'Back in the assistant')
  return answer
}

async function refresh(assistant: Assistant): Promise<void> {
  step('It refreshes, as it does whenever its access token has expired. The customer does not notice')
  const before = assistant.session.tokens()
  assert.equal(await assistant.refresh(), 'AUTHORIZED')
  assert.notEqual(assistant.session.tokens()?.refresh_token, before?.refresh_token)
  await saysWho(assistant)
}

async function disconnect(assistant: Assistant, page: Page, apps: string): Promise<void> {
  step('The customer opens the page of connected apps, and disconnects this one')
  await page.goto(apps)
  await shows(page, 'Connected apps')
  assert.deepEqual(await page.getByRole('heading', { level: 2 }).allTextContents(), ['Travel Assistant'])
  await page.getByRole('button', { name: 'Disconnect: Travel Assistant' }).click()
  await shows(page, 'Disconnect Travel Assistant from Acme Air?')
  // A key, because a click counts only after the mouse has been over the page for a while.
  await page.getByRole('button', { name: 'Disconnect', exact: true }).press('Enter')
  await page.getByText('You have connected no apps to Acme Air.').waitFor()

  step('The assistant calls the tool, is refused at once, and has to ask the customer again')
  await assert.rejects(assistant.call('who_am_i'), UnauthorizedError)
  assert.equal(assistant.session.tokens(), undefined)
}

async function shows(page: Page, heading: string): Promise<void> {
  await page.getByRole('heading', { name: heading, exact: true }).waitFor()
  print(`browser: ${new URL(page.url()).pathname} "${heading}"`)
}

async function saysWho(assistant: Assistant): Promise<void> {
  const answer = await assistant.call('who_am_i')
  assert.equal(answer, 'Ada, customer of Acme Air')
  print(`who_am_i: ${answer}`)
}
