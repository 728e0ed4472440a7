import type { ConnectedGrant, GrantedScope } from 'customer-sign-in'
import { escaped, isolated, page, time } from './pages'

const words = {
  en: {
    title: 'Connected apps',
    intro: (customer: string, company: string) => `What ${customer} has connected to ${company}:`,
    none: 'You have connected no apps.',
    quote: (name: string) => `“${name}”`,
    notChecked: (company: string) => `${company} has not checked this app. It has chosen its name itself.`,
    publisher: 'Published by',
    destinations: 'Sign-ins end at',
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
    destinations: 'Anmeldungen enden bei',
    since: 'Verbunden seit',
    lastUsed: 'Zuletzt benutzt',
    may: 'Sie kann:',
    disconnect: 'Trennen',
  },
}

/** A language of the pages. */
export type Language = keyof typeof words

/** The languages of the pages, the one for everybody else first. */
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
  const { clientId, clientName, vouchedFor } = app
  const { notChecked, may, disconnect } = words[language]
  return `<section>
        <h2>${appName(app, language)}</h2>
        ${appDetails(app, may, language)}
        ${vouchedFor ? '' : `<p>${notChecked(escaped(company))}</p>`}
        <form method="post">
          <input type="hidden" name="client" value="${escaped(clientId)}">
          <button aria-label="${disconnect}: ${escaped(clientName)}">${disconnect}</button>
        </form>
      </section>`
}

/** The name of an app as HTML, in quotation marks unless the company vouches for it. */
export function appName({ clientName, vouchedFor }: ConnectedGrant, language: Language): string {
  return vouchedFor ? isolated(clientName) : quoted(clientName, language)
}

/** A name that an app has chosen itself, as HTML. */
export function quoted(name: string, language: Language): string {
  return words[language].quote(isolated(name))
}

/** Where an app is, when it was connected, and what it may do, which `may` introduces, as HTML. */
export function appDetails(app: ConnectedGrant, may: string, language: Language): string {
  const { publisher, destinations, scopeTexts, connectedAt, lastUsedAt } = app
  const labels = words[language]
  return `<dl>
          ${publisher ? `<dt>${labels.publisher}</dt><dd>${isolated(publisher)}</dd>` : ''}
          ${destinations.length > 0 ? `<dt>${labels.destinations}</dt><dd>${destinations.map(isolated).join(', ')}</dd>` : ''}
          <dt>${labels.since}</dt><dd>${time(connectedAt, language)}</dd>
          <dt>${labels.lastUsed}</dt><dd>${time(lastUsedAt, language)}</dd>
        </dl>
        <p>${may}</p>
        <ul>${scopeTexts.map(scopeItem).join('')}</ul>`
}

function scopeItem({ text, lang }: GrantedScope): string {
  return `<li${lang ? ` lang="${escaped(lang)}"` : ''}>${escaped(text)}</li>`
}
