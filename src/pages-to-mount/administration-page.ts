import type { ConnectedGrant } from '../administration/connected-grants'
import { quotedName } from '../pages/consent-page'
import { type Html, html, isolate } from '../pages/html'
import type { Language } from '../pages/languages'
import { logo, respondWithPage } from '../pages/page'
import { sentence } from '../pages/words'
import { isRedirectHost } from '../protocol/redirect-uri'
import type { AppOfCompany, AppsOfCompany } from './apps-of-company'
import { entriesOf, hasEntry, type RuleEntry, rulesOf } from './client-rules'
import { accessEnds, day, paged, whereabouts } from './connected-apps'
import type { Question, Visit } from './mounted-page'

/** What the page for the staff of a company shows besides the company's rules. */
export interface ShownCompany extends AppsOfCompany {
  /** Which part of the list, as the address says it. */
  page: string
  /** Whether the rules can be changed here. */
  canSave: boolean
  /** Whether all can be allowed again. */
  canAllowAll: boolean
  /** What no rule can name. */
  wrong: RuleEntry | undefined
}

/** Shows what the customers of a company have connected, and its rules. Each button leads to a question. */
export function showCompany(company: ShownCompany, visit: Visit<unknown>): void {
  const { res, tenant, tenantName, appearance } = visit
  const { language } = appearance
  const { words } = language
  const { title, intro, none, customer, endAll, issuers } = words.administration
  const { apps, page } = company
  const { trustedIssuers } = tenant.policy
  const name = isolate(tenantName)
  const { shown, more } = paged(apps, page, words)
  const body = html`${logo(appearance)}
<h1>${title}</h1>
<p>${sentence(apps.length > 0 || company.hasMore ? intro : none, { tenant: name })}</p>
${shown.map((app) => section(app, company, language))}
${more}
${rules(company, visit)}
${
  (apps.length > 0 || company.hasMore) &&
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
${trustedIssuers.length > 0 && html`<section><h2>${sentence(issuers, { tenant: name })}</h2><ul>${trustedIssuers.map(({ issuer }) => html`<li>${isolate(issuer)}</li>`)}</ul></section>`}`
  respondWithPage(res, 200, { title, body, kind: 'list' }, appearance)
}

function section({ id, last, subjects }: AppOfCompany, { hasMore, canSave }: ShownCompany, language: Language): Html {
  const { tag, words } = language
  const { administration, connected } = words
  const { clientName, lastUsedAt } = last
  const count = new Intl.NumberFormat(tag).format(subjects.size)
  const entry = entryFor(last)
  return html`<section>
<h2>${quotedName(last, words)}</h2>
<dl>
${whereabouts(last, words)}
<dt>${administration.customers}</dt><dd>${hasMore ? sentence(administration.moreThan, { count }) : count}</dd>
<dt>${connected.lastUsed}</dt><dd>${day(lastUsedAt, tag)}</dd>
</dl>
<div class="row">${link({ ask: 'endApp', app: id }, connected.disconnect, clientName)}
${canSave && entry && link({ ask: 'block', ...entry }, administration.block, clientName)}</div>
</section>
`
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
  const { administration, connect, connected, consent } = words
  const { by, value, block, unblock, remove, allowAll, wrongValue } = administration
  const kinds = { redirectHosts: connected.destinations, documentHosts: consent.publisher, clientIds: connect.clientId }
  return html`<section>
<h2>${administration.rules}</h2>
<p>${allowed ? administration.onlyAllowed : administration.allAllowed}</p>
${allowed !== null && entries(entriesOf(allowed), 'remove', remove)}
${canAllowAll && link({ ask: 'allowAll' }, allowAll)}
${blocked.length + blockedForAll.length > 0 && html`<p>${administration.blocked}</p>\n${entries(blocked, 'unblock', unblock)}${entries(blockedForAll)}`}
${
  canSave &&
  html`<form method="get" action="?">
<label for="list">${by}</label>
<select id="list" name="list">${Object.entries(kinds).map(([list, label]) => html`<option value="${list}"${list === wrong?.list && html` selected`}>${label}</option>`)}</select>
<label for="value">${value}</label>
<input id="value" name="value" required maxlength="2048" autocomplete="off"${wrong && html` value="${wrong.value}" aria-invalid="true" aria-describedby="wrong"`}>
${wrong && html`<p id="wrong" role="alert">${sentence(wrongValue, { value: isolate(wrong.value) })}</p>`}
<button class="button quiet" name="ask" value="block">${block}</button>
<button class="button quiet" name="ask" value="allow">${consent.allow}</button>
</form>`
}
</section>`

  /** @param ask What a button of each asks. By default there is none. */
  function entries(list: readonly RuleEntry[], ask?: 'remove' | 'unblock', label = ''): Html[] {
    return list.map(
      (entry) => html`<p class="soft">${kinds[entry.list]}</p>
<div class="row"><b>${isolate(entry.value)}</b>
${canSave && ask && link({ ask, ...entry }, label, entry.value)}</div>
`,
    )
  }
}

/** A link to a question. @param of What it is about, for those who hear the page. */
function link(fields: Readonly<Record<string, string>>, label: string, of?: string): Html {
  const name = of !== undefined && html` aria-label="${`${label}: ${of}`}"`
  return html`<a class="button quiet" href="?${new URLSearchParams(fields).toString()}"${name}>${label}</a>`
}

/** What the staff of a company are asked, before it is done. */
export interface CompanyQuestion {
  ask: 'endApp' | 'endCustomer' | 'endAll' | 'block' | 'unblock' | 'allow' | 'remove' | 'allowAll'
  app?: AppOfCompany | undefined
  /** The customer, or what a rule names. */
  name?: string | undefined
  /** Whether it is the first that is allowed by name, or the last. */
  isOnly?: boolean | undefined
}

/** Asks before something of a company changes. */
export function companyQuestion(
  { ask, app, name = '', isOnly }: CompanyQuestion,
  { tenant, tenantName, appearance: { language } }: Visit<unknown>,
  fields: Question['fields'],
  confirmed: Question['confirmed'],
): Question {
  const { words } = language
  const { administration, connected, consent } = words
  const client = app ? quotedName(app.last, words) : ''
  // Whoever has made the link has chosen it.
  const quoted = sentence(consent.quote, { name: isolate(name) })
  const parts = { tenant: isolate(tenantName), client, customer: quoted, name: quoted }
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
  const about = app && whereabouts(app.last, words)
  return { heading, about, effect, confirm, fields: { ask, ...fields }, confirmed }
}
