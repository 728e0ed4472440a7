import type { ServerResponse } from 'node:http'
import type { Appearance } from './appearance'
import { accessEnds, day } from './connected-apps-page'
import { quotedName } from './consent-page'
import { type Html, html, isolate } from './html'
import type { Language } from './languages'
import { logo, respondWithPage } from './page'
import { paged } from './paged'
import type { Question } from './question-page'
import { sentence, type Words } from './words'

/** What is shown of an app. */
interface ShownApp {
  clientId: string
  clientName: string
  vouchedFor: boolean
  publisher?: string | undefined
  destinations: readonly string[]
  customers: number
  lastUsedAt: number
}

interface Entry {
  list: 'clientIds' | 'documentHosts' | 'redirectHosts'
  value: string
}

/** What the page for the staff of a company shows. */
export interface ShownCompany {
  tenantName: string
  apps: readonly ShownApp[]
  /** Whether there is more than was counted. */
  hasMore: boolean
  /** Which part of the list, as the address says it. */
  page: string
  /** Undefined if every app is allowed that is not blocked. */
  allowed: readonly Entry[] | undefined
  blocked: readonly Entry[]
  /** Whether the rules can be changed here. */
  canSave: boolean
  /** What no rule can name. */
  wrong: Entry | undefined
  issuers: readonly string[]
}

/** Shows what the customers of a company have connected, and its rules. Each button leads to a question. */
export function respondWithAdministration(res: ServerResponse, company: ShownCompany, appearance: Appearance): void {
  const { tag, words } = appearance.language
  const { title, intro, none, customer, endAll, issuers } = words.administration
  const { apps, page } = company
  const tenant = isolate(company.tenantName)
  const { shown, more } = paged(apps, page, words)
  const body = html`${logo(appearance)}
<h1>${title}</h1>
<p>${sentence(apps.length > 0 ? intro : none, { tenant })}</p>
${shown.map((app) => section(app, company, tag, words))}
${more}
${rules(company, words)}
${
  apps.length > 0 &&
  html`<section>
<form method="get" action="?">
<input type="hidden" name="ask" value="endCustomer">
<label for="customer">${customer}</label>
<input id="customer" name="customer" required maxlength="255" autocomplete="off">
<button class="button quiet">${words.connected.disconnectAll}</button>
</form>
${link({ ask: 'endAll' }, endAll)}
</section>`
}
${company.issuers.length > 0 && html`<section><h2>${sentence(issuers, { tenant })}</h2><ul>${company.issuers.map((one) => html`<li>${isolate(one)}</li>`)}</ul></section>`}`
  respondWithPage(res, 200, { title, body, kind: 'list' }, appearance)
}

function section(app: ShownApp, { hasMore, canSave }: ShownCompany, tag: string, words: Words): Html {
  const { clientId, clientName, publisher, destinations, customers, lastUsedAt } = app
  const { administration, connected, consent } = words
  const count = new Intl.NumberFormat(tag).format(customers)
  const entry = entryFor(app)
  return html`<section>
<h2>${quotedName(app, words)}</h2>
<dl>
${publisher !== undefined && html`<dt>${consent.publisher}</dt><dd>${isolate(publisher)}</dd>`}
${destinations.length > 0 && html`<dt>${connected.destinations}</dt>${destinations.map((one) => html`<dd>${isolate(one)}</dd>`)}`}
<dt>${administration.customers}</dt><dd>${hasMore ? sentence(administration.moreThan, { count }) : count}</dd>
<dt>${connected.lastUsed}</dt><dd>${day(lastUsedAt, tag)}</dd>
</dl>
<div class="row">${link({ ask: 'endApp', client_id: clientId }, connected.disconnect, clientName)}
${canSave && entry && link({ ask: 'block', ...entry }, administration.block, clientName)}</div>
</section>
`
}

/**
 * How a rule can name an app: by its document, or by where its sign-ins lead. The company's own clients are always allowed, and an app on the
 * customers' devices has nothing of its own.
 */
function entryFor({ clientId, vouchedFor, publisher, destinations }: ShownApp): Entry | undefined {
  if (vouchedFor) return undefined
  if (publisher !== undefined) return { list: 'clientIds', value: clientId }
  const host = destinations.find((one) => /^[\w.-]+(:\d+)?$/.test(one))
  return host === undefined ? undefined : { list: 'redirectHosts', value: host }
}

function rules({ allowed, blocked, canSave, wrong }: ShownCompany, words: Words): Html {
  const { administration } = words
  const { by, value, block, unblock, remove, allowAll, wrongValue } = administration
  const kinds = kindsOf(words)
  return html`<section>
<h2>${administration.rules}</h2>
<p>${allowed ? administration.onlyAllowed : administration.allAllowed}</p>
${allowed && entries(allowed, 'remove', remove)}
${allowed && canSave && link({ ask: 'allowAll' }, allowAll)}
${blocked.length > 0 && html`<p>${administration.blocked}</p>\n${entries(blocked, 'unblock', unblock)}`}
${
  canSave &&
  html`<form method="get" action="?">
<label for="list">${by}</label>
<select id="list" name="list">${Object.entries(kinds).map(([list, label]) => html`<option value="${list}"${list === wrong?.list && html` selected`}>${label}</option>`)}</select>
<label for="value">${value}</label>
<input id="value" name="value" required maxlength="2048" autocomplete="off"${wrong && html` value="${wrong.value}" aria-invalid="true" aria-describedby="wrong"`}>
${wrong && html`<p id="wrong" role="alert">${sentence(wrongValue, { value: isolate(wrong.value) })}</p>`}
<button class="button quiet" name="ask" value="block">${block}</button>
<button class="button quiet" name="ask" value="allow">${words.consent.allow}</button>
</form>`
}
</section>`

  function entries(list: readonly Entry[], ask: 'remove' | 'unblock', label: string): Html[] {
    return list.map(
      (entry) => html`<p class="soft">${kinds[entry.list]}</p>
<div class="row"><b>${isolate(entry.value)}</b>
${canSave && link({ ask, ...entry }, label, entry.value)}</div>
`,
    )
  }
}

function kindsOf({ connect, connected, consent }: Words): Record<Entry['list'], string> {
  return { redirectHosts: connected.destinations, documentHosts: consent.publisher, clientIds: connect.clientId }
}

/** A link to a question. @param of What it is about, for those who hear the page. */
function link(fields: Readonly<Record<string, string>>, label: string, of?: string): Html {
  const name = of !== undefined && html` aria-label="${`${label}: ${of}`}"`
  return html`<a class="button quiet" href="?${query(fields)}"${name}>${label}</a>`
}

function query(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString()
}

/** What the staff of a company are asked, before it is done. */
export interface CompanyQuestion {
  ask: 'endApp' | 'endCustomer' | 'endAll' | 'block' | 'unblock' | 'allow' | 'remove' | 'allowAll'
  app?: ShownApp | undefined
  /** The customer, or what a rule names. */
  name?: string | undefined
  /** Whether nothing else is allowed by name. */
  isFirst?: boolean | undefined
  /** For how long access tokens still work, in milliseconds. */
  accessLeft: number
}

/** Asks before something of a company changes. */
export function companyQuestion(of: CompanyQuestion, tenantName: string, language: Language): Question {
  const { ask, app, name = '', isFirst, accessLeft } = of
  const { words } = language
  const { administration, connected, consent } = words
  const client = app ? quotedName(app, words) : ''
  const parts = { tenant: isolate(tenantName), client, customer: isolate(name), name: isolate(name) }
  const ends = accessEnds(accessLeft, language)
  const { endAll, block, blockEffect, unblock, allowEffect, remove, removeEffect, allowAll } = administration
  const { confirm, effect }: Omit<Question, 'heading'> = {
    endApp: { confirm: connected.disconnect, effect: ends },
    endCustomer: { confirm: connected.disconnectAll, effect: ends },
    endAll: { confirm: endAll, effect: ends },
    block: { confirm: block, effect: blockEffect },
    unblock: { confirm: unblock },
    allow: { confirm: consent.allow, effect: isFirst ? allowEffect : undefined },
    remove: { confirm: remove, effect: removeEffect },
    allowAll: { confirm: allowAll },
  }[ask]
  return { heading: sentence(administration[`${ask}Question`], parts), confirm, effect }
}
