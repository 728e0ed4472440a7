import type { ServerResponse } from 'node:http'
import { mixesLetters } from '../protocol/letters'
import { isLoopbackHost, isLoopbackUrl } from '../protocol/redirect-uri'
import { visible } from '../protocol/visible-text'
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
  /** Whether a customer with a finger is asked a second time. One with a window that is too small is asked again in any case. */
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
  /** The address that the form is sent to, which no link can name, and the consent token that the form carries. */
  action: string
  token: string
}

/**
 * Asks the customer whether the client may act for them (RFC 6749 section 4.1.1).
 *
 * The form says `confirm` in place of `allow` where no style can tell whether a press was meant for this page, and where the window is too small
 * for the question with its buttons. Ask again then, with `answered`: the second page has its buttons at another place, below the question in one
 * line.
 */
export function respondWithConsentPage(res: ServerResponse, question: ConsentQuestion, appearance: Appearance): void {
  const { tenantName, answered, asksTwice } = question
  const { words } = appearance.language
  const { consent } = words
  const title = sentence(consent.question, { client: plainName(question, words), tenant: tenantName })
  const heading = sentence(consent.question, { client: nameOf(question), tenant: isolate(tenantName) })
  const first = answered ? undefined : asksTwice ? 'twice' : 'once'
  const buttons = form(question, decisionButtons(consent, words, first))
  const page = {
    title: answered ? sentence(consent.confirmTitle, { question: title }) : title,
    body: answered
      ? html`<h1>${consent.confirm}</h1>
<p class="line">${heading}</p>
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

/** A form that carries the customer's answer. */
function form({ action, token }: ConsentQuestion, buttons: Html): Html {
  return html`<form method="post" action="${action}">
<input type="hidden" name="consent_token" value="${token}">
${buttons}
</form>`
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

/** The client's name. If nobody vouches for it, it stands apart from the sentence, so that nothing in it can go on with the sentence. */
export function nameOf({ clientName, vouchedFor }: Pick<ConsentQuestion, 'clientName' | 'vouchedFor'>): Html {
  return vouchedFor ? isolate(clientName) : html`<q>${isolate(endOf(clientName))}</q>`
}

/** The client's name where there is only text. */
function plainName({ clientName, vouchedFor }: ConsentQuestion, { consent }: Words): string | Html {
  return vouchedFor ? clientName : sentence(consent.quote, { name: visible(endOf(clientName)) })
}

function details(question: ConsentQuestion, appearance: Appearance): Html {
  const { words } = appearance.language
  const { vouchedFor, publisher, redirectUri, scopes } = question
  const { consent } = words
  const client = nameOf(question)
  return html`${account(question, words)}
<p>${sentence(consent.scopes, { client })}</p>
<ul>
${scopes.map(scopeItem)}
</ul>
${afterwards(question, appearance)}
<dl>
${publisher !== undefined && html`<dt>${consent.publisher}</dt><dd>${isolate(endOf(publisher))}</dd>`}
<dt>${consent.destination}</dt>
<dd>${destination(redirectUri, words)}</dd>
</dl>
${isLoopbackUrl(redirectUri) && html`<p>${sentence(consent.anyAppOnDevice, { client })}</p>`}
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
  const { known, mixedLetters, notChecked, allowIfAsked } = words.consent
  const client = nameOf(question)
  const who = isKnown && publisher !== undefined && sentence(known, { client, publisher: isolate(publisher) })
  return html`${who} ${mixesLetters(question.clientName) && `${mixedLetters} `}${sentence(notChecked, { tenant: isolate(tenantName) })} ${allowIfAsked}`
}

/** Who the customer is, and how to be another one. */
function account(question: ConsentQuestion, { consent }: Words): Html | undefined {
  const { customerName: name, switchAccount } = question
  const customer = name !== undefined && html`<p>${sentence(consent.signedInAs, { customer: isolate(name) })}</p>`
  return html`${customer}
${switchAccount && form(question, button('switch', consent.otherAccount))}`
}

/**
 * The buttons of a decision.
 *
 * @param first The button that comes in place of Allow where no style can tell what a press was meant for: if that can be so wherever there is a
 * finger (`twice`), or in a small window alone (`once`).
 */
export function decisionButtons(
  { deny, allow }: Pick<Words['consent'], 'deny' | 'allow'>,
  { consent }: Words,
  first?: 'twice' | 'once',
): Html {
  return html`${button('deny', deny)}
${first && html`<span class="press first ${first}">${deliberate('confirm', allow)}</span>`}
<span class="press">${deliberate('allow', allow)}</span>
<span class="soon" tabindex="0"><span>${sentence(consent.tooSoon, { deny })}</span></span>`
}

/** A button under its cover, and the one in its place to which the Tab key leads from the button before. */
function deliberate(decision: string, label: string): Html {
  return html`<i></i>${button(decision, label, html` class="key"`)}${button(decision, label, html` tabindex="-1"`)}`
}

/** A button that shows its label by its style: the text fragment of an address finds only text that is shown itself. */
function button(decision: string, label: string, more?: Html): Html {
  return html`<button name="decision" value="${decision}" aria-label="${label}"${more}><span>${label}</span></button>`
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
