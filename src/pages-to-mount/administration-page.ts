import type { ConnectedGrant } from '../administration/connected-grants'
import { nameOf } from '../pages/consent-page'
import { type Html, html, isolate } from '../pages/html'
import type { Language } from '../pages/languages'
import { logo, respondWithPage } from '../pages/page'
import { sentence, type Words } from '../pages/words'
import { isRedirectHost } from '../protocol/redirect-uri'
import { visible } from '../protocol/visible-text'
import { type AppOfCompany, type AppsOfCompany, maxOfCustomer } from './apps-of-company'
import { entriesOf, hasEntry, type RuleEntry, rulesOf } from './client-rules'
import { accessEnds, paged, timeAgo, whereabouts } from './connected-apps'
import { askButton, askForm, type Question, type Visit } from './mounted-page'

/** What the page for the staff of a company shows besides the company's rules. */
export interface ShownCompany extends AppsOfCompany {
  /** Which part of the list, as the address says it. */
  page: string
  /** In milliseconds since 1970. */
  now: number
  /** Whether the rules can be changed here. */
  canSave: boolean
  /** Whether all can be allowed again. */
  canAllowAll: boolean
  /** What somebody has typed that is no customer's id. Empty if nobody has. */
  unknown: string
  /** What somebody has typed that no rule can name. */
  wrong: RuleEntry | undefined
}

/** Shows what the customers of a company have connected, and its rules. Each button leads to a question. */
export function showCompany(company: ShownCompany, visit: Visit<unknown>): void {
  const { res, tenant, tenantName, appearance } = visit
  const { language } = appearance
  const { words } = language
  const { title, intro, none, endAll, issuers } = words.administration
  const { apps, page, hasMore } = company
  const { trustedIssuers } = tenant.policy
  const name = isolate(tenantName)
  const { shown, more } = paged(apps, page, words)
  const hasSome = apps.length > 0 || hasMore
  const body = html`${askForm}${logo(appearance)}
<h1>${title}</h1>
<p>${sentence(hasSome ? intro : none, { tenant: name })}</p>
${shown.map((app) => section(app, company, language))}
${more}
${crowded(company, language)}
${rules(company, visit)}
${
  hasSome &&
  html`<section>
${customerForm(company, words)}
<div class="row">${askButton({ ask: 'endAll' }, endAll)}</div>
</section>`
}
${trustedIssuers.length > 0 && html`<section><h2>${sentence(issuers, { tenant: name })}</h2><ul>${trustedIssuers.map(({ issuer }) => html`<li>${isolate(visible(issuer))}</li>`)}</ul></section>`}`
  respondWithPage(res, 200, { title, body, kind: 'list' }, appearance)
}

function section({ id, last, subjects }: AppOfCompany, company: ShownCompany, language: Language): Html {
  const { tag, words } = language
  const { administration, connected } = words
  const { clientName, lastUsedAt } = last
  const entry = entryFor(last)
  return html`<section>
<h2>${nameOf(last)}</h2>
<dl>
${whereabouts(last, words)}
<dt>${administration.customers}</dt><dd>${numberOf(subjects.size, company, language)}</dd>
<dt>${connected.lastUsed}</dt><dd>${timeAgo(lastUsedAt, company.now, tag)}</dd>
</dl>
<div class="row">${askButton({ ask: 'endApp', app: id }, connected.disconnect, clientName)}
${company.canSave && entry && askButton({ ask: 'block', ...entry }, administration.block, clientName)}</div>
</section>
`
}

/** A number of what was counted. */
function numberOf(number: number, { hasMore }: ShownCompany, { tag, words }: Language): string | Html {
  const count = new Intl.NumberFormat(tag).format(number)
  return hasMore ? sentence(words.administration.moreThan, { count }) : count
}

// So that they do not fill the page.
const maxCrowded = 3

/** The customers who have so much that not all of it is in the list. Nobody else would see why. */
function crowded(company: ShownCompany, language: Language): Html | undefined {
  const { administration, connected } = language.words
  const { customer, connections, manyConnections, manyCounted } = administration
  if (company.crowded.length === 0) return undefined
  const most = new Intl.NumberFormat(language.tag).format(maxOfCustomer)
  const rows = company.crowded.slice(0, maxCrowded).map(
    ({ subject, grants }) => html`<dl>
${row(customer, subject)}
<dt>${connections}</dt><dd>${numberOf(grants, company, language)}</dd>
</dl>
<div class="row">${askButton({ ask: 'endCustomer', customer: subject }, connected.disconnectAll, subject)}</div>
`,
  )
  return html`<section>
<h2>${manyConnections}</h2>
<p class="soft">${sentence(manyCounted, { count: most })}</p>
${rows}
</section>`
}

/** Where staff name a customer. What they have typed is nowhere but in the field. */
function customerForm({ unknown }: ShownCompany, { administration, connected }: Words): Html {
  const isUnknown = unknown !== ''
  return html`<form method="post" action="?">
<input type="hidden" name="ask" value="endCustomer">
<label for="customer">${administration.customer}</label>
<input id="customer" name="customer" required maxlength="2048" autocomplete="off"${isUnknown && html` value="${unknown}" aria-invalid="true" aria-describedby="unknown"`}>
${isUnknown && html`<p id="unknown" role="alert">${administration.unknownCustomer}</p>`}
<button class="button quiet">${connected.disconnectAll}</button>
</form>`
}

/**
 * How a rule can name an app, and nothing but it: by its document, or by the one host to which its sign-ins lead. The company's own clients are
 * always allowed, and an app on the customers' devices has nothing of its own.
 */
function entryFor({ clientId, vouchedFor, publisher, destinations }: ConnectedGrant): RuleEntry | undefined {
  if (vouchedFor) return undefined
  if (publisher !== undefined) return { list: 'clientIds', value: clientId }
  const [host, ...others] = destinations
  if (host === undefined || others.length > 0 || !isRedirectHost(host)) return undefined
  return { list: 'redirectHosts', value: host }
}

/** The rules of a company. Those that block something at all companies are not changed here. */
function rules({ canSave, canAllowAll, wrong }: ShownCompany, { tenant, appearance }: Visit<unknown>): Html {
  const { words } = appearance.language
  const { own, allowed } = rulesOf(tenant)
  const blocked = entriesOf(own.blockedClients)
  const isForAll = (entry: RuleEntry) => !hasEntry(own.blockedClients, entry)
  const blockedForAll = tenant.policy.clientRules.blocked.flatMap(entriesOf).filter(isForAll)
  const { administration, consent } = words
  const { by, value, block, unblock, remove, allowAll, wrongValue } = administration
  const kinds = kindsOfRules(words)
  return html`<section>
<h2>${administration.rules}</h2>
<p>${allowed ? administration.onlyAllowed : administration.allAllowed}</p>
${allowed !== null && entries(entriesOf(allowed), 'remove', remove)}
${canAllowAll && html`<div class="row">${askButton({ ask: 'allowAll' }, allowAll)}</div>`}
${blocked.length + blockedForAll.length > 0 && html`<p>${administration.blocked}</p>\n${entries(blocked, 'unblock', unblock)}${entries(blockedForAll)}`}
${
  canSave &&
  html`<form method="post" action="?">
<label for="list">${by}</label>
<select id="list" name="list">${Object.entries(kinds).map(([list, label]) => html`<option value="${list}"${list === wrong?.list && html` selected`}>${label}</option>`)}</select>
<label for="value">${value}</label>
<input id="value" name="value" required maxlength="2048" autocomplete="off"${wrong && html` value="${wrong.value}" aria-invalid="true" aria-describedby="wrong"`}>
${wrong && html`<p id="wrong" role="alert">${wrongValue}</p>`}
<button class="button quiet" name="ask" value="block">${block}</button>
<button class="button quiet" name="ask" value="allow">${consent.allow}</button>
</form>`
}
</section>`

  /** @param ask What a button of each asks. By default there is none. */
  function entries(list: readonly RuleEntry[], ask?: 'remove' | 'unblock', label = ''): Html[] {
    return list.map(
      (entry) => html`<p class="soft">${kinds[entry.list]}</p>
<div class="row"><b>${isolate(visible(entry.value))}</b>
${canSave && ask && askButton({ ask, ...entry }, label, entry.value)}</div>
`,
    )
  }
}

/** By what a rule can name apps. */
function kindsOfRules({ connect, connected, consent }: Words): Record<RuleEntry['list'], string> {
  return { redirectHosts: connected.destinations, documentHosts: consent.publisher, clientIds: connect.clientId }
}

/** What the staff of a company are asked, before it is done. */
export interface CompanyQuestion {
  ask: 'endApp' | 'endCustomer' | 'endAll' | 'block' | 'unblock' | 'allow' | 'remove' | 'allowAll'
  app?: AppOfCompany | undefined
  customer?: string | undefined
  /** What a rule names. */
  entry?: RuleEntry | undefined
  /** Whether it is the first that is allowed by name, or the last. */
  isOnly?: boolean | undefined
}

/** Asks before something of a company changes. No sentence has an id or a host in it: they stand in rows of their own. */
export function companyQuestion(
  { ask, app, customer, entry, isOnly }: CompanyQuestion,
  { tenant, tenantName, appearance: { language } }: Visit<unknown>,
  fields: Question['fields'],
  confirmed: Question['confirmed'],
): Question {
  const { words } = language
  const { administration, connected, consent } = words
  const parts = { tenant: isolate(tenantName), client: app ? nameOf(app.last) : '' }
  const ends = accessEnds(tenant.policy.lifetimes.accessToken, language)
  const { endAll, block, blockEffect, unblock, allowEffect, remove, nothingAllowed, allowAll } = administration
  const { confirm, effect }: Pick<Question, 'confirm' | 'effect'> = {
    endApp: { confirm: connected.disconnect, effect: ends },
    endCustomer: { confirm: connected.disconnectAll, effect: ends },
    endAll: { confirm: endAll, effect: ends },
    block: { confirm: block, effect: blockEffect },
    unblock: { confirm: unblock },
    allow: { confirm: consent.allow, effect: isOnly ? allowEffect : undefined },
    remove: { confirm: remove, effect: isOnly ? nothingAllowed : blockEffect },
    allowAll: { confirm: allowAll },
  }[ask]
  const heading = sentence(administration[`${ask}Question`], parts)
  const rule = entry && row(kindsOfRules(words)[entry.list], entry.value)
  const about = app
    ? whereabouts(app.last, words)
    : customer === undefined
      ? rule
      : row(administration.customer, customer)
  return { heading, about, effect, confirm, fields: { ask, ...fields }, confirmed }
}

function row(label: string, value: string): Html {
  return html`<dt>${label}</dt><dd>${isolate(visible(value))}</dd>`
}
