import type { ConnectedGrant } from '../administration/connected-grants'
import type { CustomerGrants } from '../administration/customer-grants'
import { func, identifier, record, requirements, text } from '../configuration/checks'
import { quotedName } from '../pages/consent-page'
import { type Html, html, isolate } from '../pages/html'
import { durationIn, type Language } from '../pages/languages'
import { logo, respondWithPage } from '../pages/page'
import { scopeItem } from '../pages/scope-words'
import { sentence, type Words } from '../pages/words'
import type { Middleware } from '../resource-server/guards'
import { type Fields, mountedPage, type PageRooms, type Question, type Visit, type WhoHook } from './mounted-page'

/** Whose page it is. */
export interface CustomerOfPage {
  /** The key of the company. */
  tenantKey: string
  /** The customer inside the company, as in {@link Customer}. */
  subject: string
}

/** What the page of connected apps needs. */
export interface ConnectedAppsOptions {
  /** Whose page it is. */
  who: WhoHook<CustomerOfPage>
}

const where = 'pages.connectedApps'
const checkedOptions = requirements({ who: func<WhoHook<CustomerOfPage>>() })
// Of a customer, with 100 grants each. No customer has more.
const maxPages = 20

/** The page on which customers see what they have connected, and disconnect it. Each of its buttons leads to a question. */
export function connectedApps(given: ConnectedAppsOptions, grants: CustomerGrants, rooms: PageRooms): Middleware {
  const page = {
    where,
    whose: record({ tenantKey: text, subject: identifier }, () => true),
    expected: 'a tenantKey and a subject, or nothing',

    async show(visit: Visit<CustomerOfPage>, of: Fields): Promise<void> {
      showApps(await appsOf(visit), of('page'), visit)
    },

    async question(of: Fields, visit: Visit<CustomerOfPage>): Promise<Question | undefined> {
      const { who, tenant, tenantName, appearance } = visit
      const { words } = appearance.language
      const { question, questionAll, disconnect, disconnectAll } = words.connected
      const which = of('disconnect')
      const clientId = which === 'one' ? of('client_id') : ''
      if (which !== 'all' && clientId === '') return undefined
      const apps = await appsOf(visit)
      const app = apps.find((one) => one.clientId === clientId)
      if (which === 'all' ? apps.length === 0 : !app) return undefined
      return {
        heading: sentence(app ? question : questionAll, {
          client: app ? quotedName(app, words) : '',
          tenant: isolate(tenantName),
        }),
        about: app && whereabouts(app, words),
        effect: html`${accessEnds(tenant.policy.lifetimes.accessToken, appearance.language)} ${words.connected.again}`,
        confirm: app ? disconnect : disconnectAll,
        fields: { disconnect: which, client_id: clientId },
        confirmed: () => grants.revokeAll({ ...who, actor: 'customer', ...(app && { clientId }) }),
      }
    },
  }
  return mountedPage(page, checkedOptions(given, where).who, rooms)

  /** What the customer has connected: one entry for each client, the newest first. */
  async function appsOf({ who, appearance }: Visit<CustomerOfPage>): Promise<ConnectedGrant[]> {
    const apps = new Map<string, ConnectedGrant>()
    let after: string | undefined
    for (let count = 0; count < maxPages; count++) {
      const page = await grants.list({ ...who, language: appearance.language.tag, after })
      for (const grant of page.grants) apps.set(grant.clientId, merged(apps.get(grant.clientId) ?? grant, grant))
      after = page.next
      if (after === undefined) break
    }
    return [...apps.values()].sort((one, other) => other.connectedAt - one.connectedAt)
  }
}

/** One entry for all grants of a client: every scope, the first day, the last day, and the issuer if the company's own sign-in made one of them. */
function merged(app: ConnectedGrant, grant: ConnectedGrant): ConnectedGrant {
  const scopeTexts = [...app.scopeTexts, ...grant.scopeTexts]
  const isFirst = (text: string, index: number) => scopeTexts.findIndex((other) => other.text === text) === index
  return {
    ...grant,
    scopeTexts: scopeTexts.filter(({ text }, index) => isFirst(text, index)),
    issuer: grant.issuer ?? app.issuer,
    connectedAt: Math.min(grant.connectedAt, app.connectedAt),
    lastUsedAt: Math.max(grant.lastUsedAt, app.lastUsedAt),
  }
}

function showApps(apps: readonly ConnectedGrant[], page: string, visit: Visit<CustomerOfPage>): void {
  const { res, tenantName, appearance } = visit
  const { words } = appearance.language
  const { title, intro, none, disconnectAll } = words.connected
  const { shown, more } = paged(apps, page, words)
  const body = html`${logo(appearance)}
<h1>${title}</h1>
<p>${sentence(apps.length > 0 ? intro : none, { tenant: isolate(tenantName) })}</p>
${shown.map((app) => section(app, visit))}
${more}
${apps.length > 1 && html`<section><a class="button quiet" href="?disconnect=all">${disconnectAll}</a></section>`}`
  respondWithPage(res, 200, { title, body, kind: 'list' }, appearance)
}

function section(app: ConnectedGrant, { tenantName, appearance }: Visit<CustomerOfPage>): Html {
  const { clientId, vouchedFor, issuer, scopeTexts, connectedAt, lastUsedAt } = app
  const { tag, words } = appearance.language
  const { consent, connected } = words
  const tenant = isolate(tenantName)
  const label = `${connected.disconnect}: ${app.clientName}`
  const query = new URLSearchParams({ disconnect: 'one', client_id: clientId })
  return html`<section>
<h2>${quotedName(app, words)}</h2>
${issuer !== undefined && html`<p class="soft">${sentence(connected.managed, { tenant })}</p>`}
<dl>
${whereabouts(app, words)}
<dt>${connected.since}</dt><dd>${day(connectedAt, tag)}</dd>
<dt>${connected.lastUsed}</dt><dd>${day(lastUsedAt, tag)}</dd>
</dl>
<p>${connected.may}</p>
<ul>
${scopeTexts.map(scopeItem)}
</ul>
${!vouchedFor && html`<p class="soft">${sentence(consent.notChecked, { tenant })}</p>`}
<a class="button quiet" href="?${query.toString()}" aria-label="${label}">${connected.disconnect}</a>
</section>
`
}

// So that a page with everything about each stays small.
const perPage = 10

/** The part of a list that a page shows, and the link to the next. @param asked Its number, as the address says it. */
export function paged<T>(
  items: readonly T[],
  asked: string,
  { connected }: Words,
): { shown: readonly T[]; more: Html } {
  const number = /^[1-9]\d{0,3}$/.test(asked) ? Number(asked) : 1
  const end = number * perPage
  return {
    shown: items.slice(end - perPage, end),
    more: html`${items.length > end && html`<section><a class="button quiet" href="?page=${String(number + 1)}">${connected.more}</a></section>`}`,
  }
}

/** What is known of where an app is, as parts of a description list. Its name alone tells nobody which app it is. */
export function whereabouts({ publisher, destinations }: ConnectedGrant, { consent, connected }: Words): Html {
  return html`${publisher !== undefined && html`<dt>${consent.publisher}</dt><dd>${isolate(publisher)}</dd>`}
${destinations.length > 0 && html`<dt>${connected.destinations}</dt>${destinations.map((one) => html`<dd>${isolate(one)}</dd>`)}`}`
}

/** A day, in the words of a language. */
export function day(at: number, tag: string): Html {
  const date = new Date(at)
  const text = new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' }).format(date)
  return html`<time datetime="${date.toISOString()}">${text}</time>`
}

/** Says when access ends. @param accessLeft For how long access tokens still work, in milliseconds. */
export function accessEnds(accessLeft: number, { tag, words }: Language): Html {
  return sentence(words.connected.effect, { time: durationIn(tag, accessLeft) })
}
