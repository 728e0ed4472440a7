import type { ConnectedGrant, GrantedScope } from 'customer-sign-in'
import { escaped, hashOf, page, style } from './pages'

const words = {
  en: {
    title: 'Connected apps',
    intro: (customer: string, company: string) => `What ${customer} has connected to ${company}:`,
    none: 'You have connected no apps.',
    quote: (name: string) => `“${name}”`,
    notChecked: (company: string) => `${company} has not checked this app. It has chosen its name itself.`,
    publisher: 'Published by',
    destinations: 'Connected from',
    device: 'an app on your device',
    since: 'Connected',
    lastUsed: 'Last used',
    may: 'It can:',
    disconnect: 'Disconnect',
  },
  de: {
    title: 'Verbundene Apps',
    intro: (customer: string, company: string) => `Das hat ${customer} mit ${company} verbunden:`,
    none: 'Sie haben keine Apps verbunden.',
    quote: (name: string) => `„${name}“`,
    notChecked: (company: string) => `${company} hat diese App nicht geprüft. Ihren Namen hat sie selbst gewählt.`,
    publisher: 'Veröffentlicht von',
    destinations: 'Verbunden von',
    device: 'einer App auf Ihrem Gerät',
    since: 'Verbunden seit',
    lastUsed: 'Zuletzt benutzt',
    may: 'Sie kann:',
    disconnect: 'Trennen',
  },
}

/** A language of the page. */
export type Language = keyof typeof words

/** The languages of the page, the one for everybody else first. */
export const languages = Object.keys(words) as Language[]

interface AppsOf {
  customer: string
  company: string
  apps: readonly ConnectedGrant[]
  language: Language
}

/** Shows a customer what they have connected, each with a button that ends it. */
export function appsPage({ customer, company, apps, language }: AppsOf): string {
  const { title, intro, none } = words[language]
  const list = apps.length === 0 ? `<p>${none}</p>` : apps.map((app) => section(app, company, language)).join('')
  const body = `<p>${intro(isolated(customer), isolated(company))}</p>${list}`
  return page(title, body, { lang: language })
}

function section(app: ConnectedGrant, company: string, language: Language): string {
  const { clientId, clientName, vouchedFor, publisher, destinations, scopeTexts, connectedAt, lastUsedAt } = app
  const { quote, notChecked, device, may, disconnect, ...labels } = words[language]
  const name = vouchedFor ? isolated(clientName) : quote(isolated(clientName))
  const places = destinations.map((place) => (place === 'this device' ? device : isolated(place)))
  return `<section>
        <h2>${name}</h2>
        <dl>
          ${publisher ? `<dt>${labels.publisher}</dt><dd>${isolated(publisher)}</dd>` : ''}
          ${places.length > 0 ? `<dt>${labels.destinations}</dt><dd>${places.join(', ')}</dd>` : ''}
          <dt>${labels.since}</dt><dd>${time(connectedAt, language)}</dd>
          <dt>${labels.lastUsed}</dt><dd>${time(lastUsedAt, language)}</dd>
        </dl>
        <p>${may}</p>
        <ul>${scopeTexts.map(scopeItem).join('')}</ul>
        ${vouchedFor ? '' : `<p>${notChecked(escaped(company))}</p>`}
        <form method="post">
          <input type="hidden" name="client" value="${escaped(clientId)}">
          <button aria-label="${disconnect}: ${escaped(clientName)}">${disconnect}</button>
        </form>
      </section>`
}

function scopeItem({ text, lang }: GrantedScope): string {
  return `<li${lang ? ` lang="${escaped(lang)}"` : ''}>${escaped(text)}</li>`
}

function time(at: number, language: Language): string {
  const date = new Date(at)
  const shown = date.toLocaleString(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  return `<time datetime="${date.toISOString()}">${escaped(shown)} UTC</time>`
}

/** A text that is somebody else's. Its direction of writing does not change that of the text around it. */
function isolated(text: string): string {
  return `<bdi>${escaped(text)}</bdi>`
}

/** What the page may load and send: its own style, and its forms to this app. */
export const appsPagePolicy = [
  "default-src 'none'",
  `style-src '${hashOf(style)}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')
