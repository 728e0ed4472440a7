import type { ServerResponse } from 'node:http'
import { isLoopbackHost } from '../protocol/redirect-uri'
import type { Appearance } from './appearance'
import { type Html, html, isolate } from './html'
import { durationIn } from './languages'
import { linkBeside, logo, respondWithPage } from './page'
import { type ShownScope, scopeItem } from './scope-words'
import { sentence, type Words } from './words'

// Characters of an address or a name.
const maxLength = 60

/** What the consent page asks a customer. */
export interface ConsentQuestion {
  tenantName: string
  /** The client's name, as the client gives it. */
  clientName: string
  /** Whether the company itself vouches for that name. */
  vouchedFor: boolean
  /** The host that publishes the client's metadata document, if there is one: the only thing about such a client that is proven. */
  publisher: string | undefined
  /** Whether that document is the one of a known assistant, and what the client gets reaches nobody else. */
  isKnown: boolean
  redirectUri: string
  /** Whether the client can only be an app on the customer's own device: all of its redirect URIs are on loopback. */
  isAppOnDevice: boolean
  /** Whether a browser that cannot tell what a press was meant for asks a second time. */
  asksTwice: boolean
  /** Whether the customer has pressed `confirm` on this page before. */
  answered: boolean
  /** What the client asks for, in words. */
  scopes: readonly ShownScope[]
  /** How long the connection lasts, in milliseconds, and whether each use renews it. */
  lasts: { time: number; isRenewed: boolean }
  /** The customer's own name, if the host gives it. */
  customerName: string | undefined
  /** Whether the customer can log in with another account. */
  switchAccount: boolean
  /** The address that the form is sent to, and the consent token that it carries. */
  action: string
  token: string
}

/**
 * Asks the customer whether the client may act for them (RFC 6749 section 4.1.1).
 *
 * A browser that cannot tell whether a press was meant for this page sends `confirm` in place of `allow`, with `asksTwice`. Ask again then,
 * with `answered`: the second page has its buttons at another place, below a question in which there is no word of the client's.
 */
export function respondWithConsentPage(res: ServerResponse, question: ConsentQuestion, appearance: Appearance): void {
  const { tenantName, clientName, vouchedFor, answered, asksTwice, action, token } = question
  const { words } = appearance.language
  const { consent } = words
  const plainName = vouchedFor ? clientName : sentence(consent.quote, { name: endOf(clientName) })
  const title = sentence(consent.question, { client: plainName, tenant: tenantName })
  const heading = sentence(consent.question, { client: quotedName(question, words), tenant: isolate(tenantName) })
  const buttons = html`<form method="post" action="${action}" id="decision">
<input type="hidden" name="consent_token" value="${token}">
${decisionButtons(consent, words, asksTwice && !answered)}
</form>`
  const page = {
    title: answered ? sentence(consent.confirmTitle, { question: title }) : title,
    body: answered
      ? html`<h1>${consent.confirm}</h1>
${buttons}
<section>
${parties(question, appearance)}
<h2>${heading}</h2>
${details(question, appearance)}
</section>`
      : html`${parties(question, appearance)}
<h1>${heading}</h1>
${details(question, appearance)}
${buttons}`,
  }
  respondWithPage(res, 200, page, appearance)
}

/** Who connects to whom, as a picture. The client has its initials: nobody has checked a picture that it gives. */
function parties({ clientName, tenantName }: ConsentQuestion, appearance: Appearance): Html {
  return html`<div class="parties" aria-hidden="true">${tile(clientName)}<i></i>${logo(appearance) ?? tile(tenantName)}</div>`
}

function tile(name: string): Html {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []
  const initials = words.slice(0, 2).map((word) => String.fromCodePoint(word.codePointAt(0) ?? 0))
  return html`<b>${initials.join('').toUpperCase()}</b>`
}

/** The client's name. It is in quotation marks if nobody vouches for it. */
export function quotedName(
  { clientName, vouchedFor }: Pick<ConsentQuestion, 'clientName' | 'vouchedFor'>,
  { consent }: Words,
): Html {
  return vouchedFor ? isolate(clientName) : sentence(consent.quote, { name: isolate(endOf(clientName)) })
}

function details(question: ConsentQuestion, appearance: Appearance): Html {
  const { words } = appearance.language
  const { vouchedFor, publisher, redirectUri, isAppOnDevice, scopes } = question
  const { consent } = words
  const client = quotedName(question, words)
  return html`${account(question, words)}
<p id="scopes">${sentence(consent.scopes, { client })}</p>
<ul aria-labelledby="scopes">
${scopes.map(scopeItem)}
</ul>
${afterwards(question, appearance)}
<dl>
${publisher !== undefined && html`<dt>${consent.publisher}</dt><dd>${isolate(endOf(publisher))}</dd>`}
<dt>${consent.destination}</dt>
<dd>${destination(redirectUri, words)}</dd>
</dl>
${isAppOnDevice && html`<p>${sentence(consent.anyAppOnDevice, { client })}</p>`}
${!vouchedFor && html`<p class="soft">${caution(question, words)}</p>`}`
}

/** How long the connection lasts, and how to end it. */
function afterwards({ lasts }: ConsentQuestion, { language, links }: Appearance): Html {
  const { consent, connected } = language.words
  const time = durationIn(language.tag, lasts.time)
  const end = links.connectedApps !== undefined && linkBeside(links.connectedApps, connected.title)
  return html`<p class="soft">${sentence(lasts.isRenewed ? consent.unused : consent.lasts, { time })}
${end && sentence(consent.disconnect, { apps: end })}</p>`
}

function caution({ tenantName, publisher, isKnown, ...question }: ConsentQuestion, words: Words): Html {
  const { known, notChecked, allowIfAsked } = words.consent
  const client = quotedName(question, words)
  const who = isKnown && publisher !== undefined && sentence(known, { client, publisher: isolate(publisher) })
  return html`${who} ${sentence(notChecked, { tenant: isolate(tenantName) })} ${allowIfAsked}`
}

/** Who the customer is, and how to be another one. */
function account({ customerName: name, switchAccount }: ConsentQuestion, { consent }: Words): Html | undefined {
  if (name === undefined && !switchAccount) return undefined
  const customer = name !== undefined && html`${sentence(consent.signedInAs, { customer: isolate(name) })} `
  const other = switchAccount && button('switch', consent.otherAccount, html` form="decision"`)
  return html`<p>${customer}${other}</p>`
}

/** The buttons of a decision. @param isUnsure Whether one takes the place of Allow where a browser cannot tell what a press was meant for. */
export function decisionButtons(
  { deny, allow }: Pick<Words['consent'], 'deny' | 'allow'>,
  { consent }: Words,
  isUnsure = false,
): Html {
  return html`${button('deny', deny)}
${isUnsure && button('confirm', allow)}
${button('allow', allow)}
<span class="end" tabindex="0"><span>${consent.end}</span></span>`
}

/**
 * A button that shows its label by its style. The text fragment of an address finds only text that is shown itself: it would let the Tab key
 * begin at that text, which is behind Deny or within Allow.
 */
function button(decision: string, label: string, ofForm?: Html): Html {
  return html`<button type="submit"${ofForm} name="decision" value="${decision}" aria-label="${label}"><span>${label}</span></button>`
}

/** The part of a redirect URI that says who receives the code. */
function destination(redirectUri: string, { consent }: Words): Html {
  const { protocol, hostname, host } = new URL(redirectUri)
  if (isLoopbackHost(hostname)) return sentence(consent.appOnDevice, { host: isolate(host) })
  if (protocol === 'https:') return isolate(endOf(host))
  const address = protocol.length > maxLength ? `${protocol.slice(0, maxLength)}…` : `${protocol}//`
  return sentence(consent.appThatOpens, { address: isolate(address) })
}

/** The end of a long host name, which says who has registered it. */
function endOf(host: string): string {
  const characters = [...host]
  return characters.length > maxLength ? `…${characters.slice(-maxLength).join('')}` : host
}
