import { MemoryTenantStore, type Middleware, type Tenant } from 'customer-sign-in'
import { type SignInForTests, testSignIn } from 'customer-sign-in/testing'
import express from 'express'
import helmet from 'helmet'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { newBrowser } from './browser'
import { HostApp } from './host-app'

const apps: HostApp[] = []

afterEach(() => Promise.all(apps.splice(0).map((app) => app.stop())))

/** A page of the host's in a new browser, behind helmet, of the company `acme`. */
export async function openedPage(
  record: Partial<Tenant>,
  mount: (signIn: SignInForTests) => Middleware | Promise<Middleware>,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; signIn: SignInForTests; origin: string }> {
  const company = { key: 'acme', id: 'acme', name: 'Acme', ...record }
  const tenantStore = new MemoryTenantStore([company])
  const scopes = { profile: { words: 'Know who you are' } }
  const signIn = testSignIn({ tenantStore, baseUrl: 'https://assistant.example', scopes })
  const middleware = await mount(signIn)
  const app = await HostApp.start(() => express().use(helmet()).use('/page', middleware))
  apps.push(app)
  const context = await newBrowser(options)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: app.origin })
  const page = await context.newPage()
  await page.goto(`${app.origin}/page`)
  return { page, signIn, origin: app.origin }
}

/** The appearances in which every page is looked at, each with the language of its company. */
export const appearances: [string, BrowserContextOptions, string][] = [
  ['light', { colorScheme: 'light' }, 'en'],
  ['dark', { colorScheme: 'dark' }, 'de'],
  ['on a narrow screen', { viewport: { width: 320, height: 568 } }, 'en'],
  ['from right to left', {}, 'ar'],
]
