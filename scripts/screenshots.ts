import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { MemoryTenantStore, type Tenant } from 'customer-sign-in'
import { testSignIn, tokensFor } from 'customer-sign-in/testing'
import express from 'express'
import type { Browser } from 'playwright-core'
import { launchChromium } from './chromium'
import { indexedPng } from './indexed-png'

const images = join(__dirname, '..', 'docs', 'images')
const redirectUri = 'https://assistant.example/callback'
const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">
  <circle cx="20" cy="20" r="20" fill="#d9480f"/><path d="M8 24 32 12 22 32 19 24z" fill="#fff"/>
</svg>`

/** Takes the screenshots of the docs, or with `--all FOLDER` one of every page in every appearance, to be looked at. */
async function main(): Promise<void> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.on('request', await travelPlatform(baseUrl))
  const browser = await launchChromium()
  try {
    const [option, folder] = process.argv.slice(2)
    if (option === '--all' && folder) await shootAll(browser, baseUrl, folder)
    else await shootForDocs(browser, baseUrl)
  } finally {
    await browser.close()
    server.close().closeAllConnections()
  }
}

async function shootForDocs(browser: Browser, baseUrl: string): Promise<void> {
  const consent = authorizationUrl(baseUrl, await registeredClient(baseUrl))
  const globexClient = await registeredClient(baseUrl, 'globex')
  const atGlobex = (locale: string) => `${authorizationUrl(baseUrl, globexClient, 'globex')}&ui_locales=${locale}`
  mkdirSync(images, { recursive: true })
  await shoot(browser, { name: 'consent-light', url: consent, colorScheme: 'light', height: 660 })
  await shoot(browser, { name: 'consent-dark', url: consent, colorScheme: 'dark', height: 660 })
  await shoot(browser, { name: 'error', url: authorizationUrl(baseUrl, 'nobody'), colorScheme: 'light', height: 482 })
  await shoot(browser, { name: 'consent-german', url: atGlobex('de'), colorScheme: 'light', height: 740 })
  await shoot(browser, { name: 'consent-arabic', url: atGlobex('ar'), colorScheme: 'dark', height: 740 })
  const connect = `${baseUrl}/connect?ui_locales=en`
  await shoot(browser, { name: 'connect', url: connect, colorScheme: 'light', height: 780, opens: 'Claude' })
  await shoot(browser, { name: 'connected-apps', url: `${baseUrl}/apps`, colorScheme: 'light', height: 620 })
  await shoot(browser, { name: 'administration', url: `${baseUrl}/admin`, colorScheme: 'dark', height: 780 })
}

/** Every page, light and dark, on a phone and on a desk, in four languages. The Japanese ones need a font such as fonts-noto-cjk. */
async function shootAll(browser: Browser, baseUrl: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const client = await registeredClient(baseUrl)
  const pages = {
    consent: authorizationUrl(baseUrl, client),
    error: authorizationUrl(baseUrl, 'nobody'),
    connect: `${baseUrl}/connect?`,
    apps: `${baseUrl}/apps?`,
    disconnect: `${baseUrl}/apps?`,
    administration: `${baseUrl}/admin?`,
  }
  for (const [name, url] of Object.entries(pages)) {
    for (const language of ['en', 'de', 'ja', 'ar']) {
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const [screen, width] of Object.entries({ phone: 360, desk: 1280 })) {
          const page = await browser.newPage({ colorScheme, locale: language, viewport: { width, height: 740 } })
          await page.goto(`${url}&ui_locales=${language}`)
          if (name === 'disconnect') await page.locator('[value^="disconnect=app"]').first().click()
          await page.screenshot({
            path: join(folder, `${name}-${language}-${colorScheme}-${screen}.png`),
            fullPage: true,
          })
          await page.close()
        }
      }
    }
  }
}

const acmeLinks = { home: 'https://acme.example', connectedApps: 'https://acme.example/apps' }

const globex: Tenant = {
  key: 'globex',
  name: 'Globex Hotels',
  theme: {
    light: { background: '#e6f4ea', text: '#1d2b24', accent: '#0b6e4f' },
    dark: { background: '#07130e', card: '#0d1f17', text: '#e6f4ea', accent: '#5fd3a5' },
    radius: 4,
  },
  links: {
    connectedApps: 'https://globex.example/apps',
    privacy: 'https://globex.example/privacy',
    imprint: 'https://globex.example/imprint',
    support: 'https://globex.example/help',
  },
}

const apps = ['Travel Assistant', 'Notes', 'Reiseplanungsassistenzprogramm für Geschäftsreisende weltweit'].map(
  (clientName, number) => ({
    clientId: ['travel', 'notes', 'long'][number] as string,
    clientName,
    redirectUris: [number === 1 ? 'http://127.0.0.1/callback' : redirectUri],
  }),
)

async function travelPlatform(baseUrl: string) {
  const logoUri = `data:image/svg+xml,${encodeURIComponent(logo)}`
  const acme: Tenant = {
    key: 'acme',
    name: 'Acme Air',
    logoUri,
    links: acmeLinks,
    clients: apps,
    resources: ['https://assistant.acme.example/mcp'],
    blockedClients: { redirectHosts: ['evil.example'] },
  }
  const signIn = testSignIn({
    tenantStore: new MemoryTenantStore([acme, globex]),
    baseUrl,
    scopes: {
      profile: {
        words: { en: 'Know who you are', de: 'Erfahren, wer Sie sind', ar: 'معرفة هويتك', ja: 'お客様の確認' },
      },
      bookings: {
        words: {
          en: 'See and change your bookings',
          de: 'Ihre Buchungen sehen und ändern',
          ar: 'عرض حجوزاتك وتغييرها',
          ja: '予約の確認と変更',
        },
      },
    },
    authenticate: () => ({ subject: 'ada', name: 'Ada Lovelace' }),
    onEvent: () => {},
  })
  const customer = { tenantKey: 'acme', subject: 'ada' }
  for (const { clientId } of apps) await tokensFor(signIn, { ...customer, clientId })
  return express()
    .use(signIn)
    .all('/connect', signIn.pages.connectAssistant({ who: () => customer }))
    .all('/apps', signIn.pages.connectedApps({ who: () => customer }))
    .all('/admin', signIn.pages.administration({ who: () => ({ tenantKey: 'acme', actor: 'sam' }), saveRules() {} }))
}

async function registeredClient(baseUrl: string, tenantKey = 'acme'): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/${tenantKey}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'Travel Assistant', redirect_uris: [redirectUri] }),
  })
  return ((await response.json()) as { client_id: string }).client_id
}

function authorizationUrl(baseUrl: string, clientId: string, tenantKey = 'acme'): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  })
  return `${baseUrl}/v1/${tenantKey}/oauth/authorize?${query}`
}

interface Shot {
  name: string
  url: string
  colorScheme: 'light' | 'dark'
  height: number
  /** An assistant whose steps are shown. */
  opens?: string | undefined
}

async function shoot(browser: Browser, { name, url, colorScheme, height, opens }: Shot): Promise<void> {
  const page = await browser.newPage({ colorScheme, deviceScaleFactor: 2, viewport: { width: 480, height } })
  await page.goto(url)
  if (opens !== undefined) await page.getByText(opens, { exact: true }).first().click()
  const shot = (await page.screenshot()).toString('base64')
  await page.goto('about:blank')
  // The browser can decode its own pictures; Node cannot.
  const pixels = await page.evaluate<string>(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${shot}'
    await image.decode()
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d')
    canvas.drawImage(image, 0, 0)
    const { data } = canvas.getImageData(0, 0, image.width, image.height)
    let text = ''
    for (let start = 0; start < data.length; start += 8192) {
      text += String.fromCharCode(...data.subarray(start, start + 8192))
    }
    return btoa(text)
  })()`)
  await page.close()
  const png = indexedPng(Buffer.from(pixels, 'base64'), 960)
  writeFileSync(join(images, `${name}.png`), png)
  process.stdout.write(`docs/images/${name}.png: ${png.length} bytes\n`)
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
