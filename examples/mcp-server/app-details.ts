import type { ConnectedGrant, GrantedScope } from 'customer-sign-in'
import { escaped, isolated, time } from './pages'

const words = {
  en: {
    quote: (name: string) => `“${name}”`,
    publisher: 'Published by',
    destinations: 'Sign-ins end at',
    since: 'Connected',
    lastUsed: 'Last used',
  },
  de: {
    quote: (name: string) => `„${name}“`,
    publisher: 'Veröffentlicht von',
    destinations: 'Anmeldungen enden bei',
    since: 'Verbunden seit',
    lastUsed: 'Zuletzt benutzt',
  },
}

/** A language of the pages. */
export type Language = keyof typeof words

/** The languages of the pages, the one for everybody else first. */
export const languages = Object.keys(words) as Language[]

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
