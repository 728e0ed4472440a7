import type { ConnectedGrant } from '../administration/connected-grants'
import type { CustomerGrants } from '../administration/customer-grants'
import { func, identifier, record, requirements, text } from '../configuration/checks'
import { nameOf } from '../pages/consent-page'
import { type Html, html, isolate } from '../pages/html'
import { agoIn, durationIn, type Language } from '../pages/languages'
import { logo, respondWithPage } from '../pages/page'
import { scopeItem } from '../pages/scope-words'
import { sentence, type Words } from '../pages/words'
import { visible } from '../protocol/visible-text'
import type { Middleware } from '../resource-server/guards'
import { appOf } from './apps-of-company'
import {
  askButton,
  askForm,
  type Fields,
  mountedPage,
  type PageRooms,
  type Question,
  type Visit,
  type WhoHook,
} from './mounted-page'

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
// Of a customer, with 100 grants each: more than anybody looks at. "Disconnect all" ends those that are on no page, too.
const maxPages = 20

/** An app as a customer sees it, whether it registered once or on each device. */
interface ConnectedApp {
  /** Names it on the page. */
  id: string
  /** What is true of it as a whole. */
  whole: ConnectedGrant
  clientIds: Set<string>
  /** A grant for each sign-in. */
  signIns: ConnectedGrant[]
}

/** The page on which customers see what they have connected, and disconnect it. Each of its buttons leads to a question. */
export function connectedApps(given: ConnectedAppsOptions, grants: CustomerGrants, rooms: PageRooms): Middleware {
  const page = {
    where,
    whose: record({ tenantKey: text, subject: identifier }, () => true),
    expected: 'a tenantKey and a subject, or nothing',

    async show(visit: Visit<CustomerOfPage>, of: Fields): Promise<void> {
      showApps(await appsOf(visit), of('page'), rooms.now(), visit)
    },

    async question(of: Fields, visit: Visit<CustomerOfPage>): Promise<Question | undefined> {
      const { who, tenant, tenantName, appearance } = visit
      const { language } = appearance
      const { words } = language
      const { question, questionOne, questionAll, disconnect, disconnectAll, again } = words.connected
      const customer = { ...who, actor: 'customer' }
      const apps = await appsOf(visit)
      const app = apps.find(({ id }) => id === of('app'))
      const signIn = app?.signIns.find(({ grantId }) => grantId === of('sign_in'))
      const which = of('disconnect')
      const parts = { client: app ? nameOf(app.whole) : '', tenant: isolate(tenantName) }
      const effect = html`${accessEnds(tenant.policy.lifetimes.accessToken, language)} ${again}`
      if (which === 'all' && apps.length > 0) {
        const heading = sentence(questionAll, parts)
        const confirmed = () => grants.revokeAll(customer)
        return { heading, effect, confirm: disconnectAll, fields: { disconnect: which }, confirmed }
      }
      if (!app) return undefined
      const leadsTo = whereabouts(app.whole, words)
      if (which === 'one' && signIn) {
        const { grantId } = signIn
        const heading = sentence(questionOne, parts)
        const about = html`${leadsTo}\n${times(signIn, rooms.now(), language)}`
        const fields = { disconnect: which, app: app.id, sign_in: grantId }
        return {
          heading,
          about,
          effect,
          confirm: disconnect,
          fields,
          confirmed: () => grants.revoke({ ...customer, grantId }),
        }
      }
      if (which !== 'app') return undefined
      const heading = sentence(question, parts)
      const confirmed = async () => {
        // Each call ends sign-ins that are under way, too.
        for (const clientId of app.clientIds) await grants.revokeAll({ ...customer, clientId })
      }
      return {
        heading,
        about: leadsTo,
        effect,
        confirm: disconnect,
        fields: { disconnect: which, app: app.id },
        confirmed,
      }
    },
  }
  return mountedPage(page, checkedOptions(given, where).who, rooms)

  /** What the customer has connected: one entry for each app, the newest first. */
  async function appsOf({ who, appearance }: Visit<CustomerOfPage>): Promise<ConnectedApp[]> {
    const apps = new Map<string, ConnectedApp>()
    let after: string | undefined
    for (let count = 0; count < maxPages; count++) {
      const page = await grants.list({ ...who, language: appearance.language.tag, after })
      for (const grant of page.grants) {
        const id = appOf(grant)
        const app = apps.get(id) ?? { id, whole: grant, clientIds: new Set(), signIns: [] }
        app.whole = merged(app.whole, grant)
        app.clientIds.add(grant.clientId)
        app.signIns.push(grant)
        apps.set(id, app)
      }
      after = page.next
      if (after === undefined) break
    }
    return [...apps.values()].sort((one, other) => other.whole.connectedAt - one.whole.connectedAt)
  }
}

/** One entry for all grants of an app: every scope, the first time, the last time, and the issuer if the company's own sign-in made one of them. */
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

function showApps(apps: readonly ConnectedApp[], page: string, now: number, visit: Visit<CustomerOfPage>): void {
  const { res, tenantName, appearance } = visit
  const { words } = appearance.language
  const { title, intro, none, disconnectAll } = words.connected
  const { shown, more } = paged(apps, page, words)
  const body = html`${askForm}${logo(appearance)}
<h1>${title}</h1>
<p>${sentence(apps.length > 0 ? intro : none, { tenant: isolate(tenantName) })}</p>
${shown.map((app) => section(app, now, visit))}
${more}
${apps.length > 1 && html`<section><div class="row">${askButton({ disconnect: 'all' }, disconnectAll)}</div></section>`}`
  respondWithPage(res, 200, { title, body, kind: 'list' }, appearance)
}

function section(app: ConnectedApp, now: number, { tenantName, appearance }: Visit<CustomerOfPage>): Html {
  const { id, whole, signIns } = app
  const { clientName, vouchedFor, issuer, scopeTexts } = whole
  const { language } = appearance
  const { consent, connected } = language.words
  const tenant = isolate(tenantName)
  return html`<section>
<h2>${nameOf(whole)}</h2>
${issuer !== undefined && html`<p class="soft">${sentence(connected.managed, { tenant })}</p>`}
<dl>
${whereabouts(whole, language.words)}
${times(whole, now, language)}
</dl>
<p>${connected.may}</p>
<ul>
${scopeTexts.map(scopeItem)}
</ul>
${!vouchedFor && html`<p class="soft">${sentence(consent.notChecked, { tenant })}</p>`}
<div class="row">${askButton({ disconnect: 'app', app: id }, connected.disconnect, clientName)}</div>
${signIns.length > 1 && listOf(app, now, language)}
</section>
`
}

// Of an app. Whoever has more can disconnect the app as a whole.
const maxShown = 20

/** A line for each sign-in of an app, such as one for each device. Those that were used last come first. */
function listOf({ id, whole, signIns }: ConnectedApp, now: number, language: Language): Html {
  const { tag, words } = language
  const { connected } = words
  const byUse = signIns.toSorted((one, other) => other.lastUsedAt - one.lastUsedAt)
  const lines = byUse.slice(0, maxShown).map(({ grantId, connectedAt, lastUsedAt }) => {
    const of = `${whole.clientName}, ${connected.since} ${agoIn(tag, now - connectedAt)}`
    return html`<div class="row"><span>${connected.since} ${timeAgo(connectedAt, now, tag)}<br>${connected.lastUsed} ${timeAgo(lastUsedAt, now, tag)}</span>
${askButton({ disconnect: 'one', app: id, sign_in: grantId }, connected.disconnect, of)}</div>
`
  })
  const count = new Intl.NumberFormat(tag).format(signIns.length)
  return html`<details><summary>${sentence(connected.signIns, { count })}</summary>\n${lines}</details>`
}

/** When an app was connected and last used, as parts of a description list. */
function times(
  { connectedAt, lastUsedAt }: Pick<ConnectedGrant, 'connectedAt' | 'lastUsedAt'>,
  now: number,
  { tag, words: { connected } }: Language,
): Html {
  return html`<dt>${connected.since}</dt><dd>${timeAgo(connectedAt, now, tag)}</dd>
<dt>${connected.lastUsed}</dt><dd>${timeAgo(lastUsedAt, now, tag)}</dd>`
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
  const item = (text: string) => html`<dd>${isolate(visible(text))}</dd>`
  return html`${publisher !== undefined && html`<dt>${consent.publisher}</dt>${item(publisher)}`}
${destinations.length > 0 && html`<dt>${connected.destinations}</dt>${destinations.map(item)}`}`
}

/** How long ago something was. */
export function timeAgo(at: number, now: number, tag: string): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${agoIn(tag, now - at)}</time>`
}

/** Says when access ends. @param accessLeft For how long access tokens still work, in milliseconds. */
export function accessEnds(accessLeft: number, { tag, words }: Language): Html {
  return sentence(words.connected.effect, { time: durationIn(tag, accessLeft) })
}
