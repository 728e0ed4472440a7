import type { ClientRule, ConnectedGrant, GrantsPage } from 'customer-sign-in'
import { appDetails, appName, type Language } from './app-details'
import type { Company } from './companies'
import { escaped, isolated, page } from './pages'

const words = {
  en: {
    title: (company: string) => `Administration: ${company}`,
    nothing: 'Nothing on this page.',
    customers: 'Connected customers',
    allowed: 'The customer has allowed:',
    disconnect: 'Disconnect',
    clientId: 'Client id',
    blockApp: 'Block the app',
    moreCustomers: 'More customers',
    blocked: 'Blocked apps',
    blockedIntro: 'Customers cannot connect them. Who blocks a client id disconnects its customers.',
    redirectHosts: 'Apps that send customers to this host',
    documentHosts: 'Apps that this host publishes',
    clientIds: 'The app with this client id',
    which: 'Which apps',
    entry: 'Host or client id',
    block: 'Block',
    refused: 'Not saved:',
    allow: 'Allow again',
    end: 'Sign everybody out',
    endIntro: 'All apps are disconnected from all customers, who can then connect them again.',
    sure: 'I am sure',
    staffOnly: (company: string) => `Only the staff of ${company} can open this page.`,
    login: 'Log in as somebody else',
  },
  de: {
    title: (company: string) => `Verwaltung: ${company}`,
    nothing: 'Auf dieser Seite ist nichts.',
    customers: 'Verbundene Kunden',
    allowed: 'Der Kunde hat erlaubt:',
    disconnect: 'Trennen',
    clientId: 'Client-ID',
    blockApp: 'App sperren',
    moreCustomers: 'Weitere Kunden',
    blocked: 'Gesperrte Apps',
    blockedIntro: 'Kunden können sie nicht verbinden. Wer eine Client-ID sperrt, trennt sie von ihren Kunden.',
    redirectHosts: 'Apps, die Kunden zu diesem Host schicken',
    documentHosts: 'Apps, die dieser Host veröffentlicht',
    clientIds: 'Die App mit dieser Client-ID',
    which: 'Welche Apps',
    entry: 'Host oder Client-ID',
    block: 'Sperren',
    refused: 'Nicht gespeichert:',
    allow: 'Wieder zulassen',
    end: 'Alle abmelden',
    endIntro: 'Alle Apps werden von allen Kunden getrennt, die sie danach wieder verbinden können.',
    sure: 'Ich bin sicher',
    staffOnly: (company: string) => `Nur Mitarbeiter von ${company} können diese Seite öffnen.`,
    login: 'Als jemand anderes anmelden',
  },
} satisfies Record<Language, unknown>

/** The lists of blocked apps, in the order of the page. */
export const blockLists = ['redirectHosts', 'documentHosts', 'clientIds'] as const satisfies (keyof ClientRule)[]

/** An entry of one of the lists. */
export interface BlockEntry {
  list: (typeof blockLists)[number]
  value: string
}

interface AdminOf {
  company: Company
  page: GrantsPage<ConnectedGrant>
  language: Language
  /** What could not be blocked, and why, in English. */
  refused?: BlockEntry & { problem: string }
}

/** Shows the staff of a company which customers have connected which apps, and which apps are blocked. */
export function adminPage({ company, page: { grants, next }, language, refused }: AdminOf): string {
  const { title, nothing, ...labels } = words[language]
  const customers = grants.map((grant) => customerSection(grant, language)).join('')
  const more =
    next && `<p><a href="?${escaped(String(new URLSearchParams({ after: next })))}">${labels.moreCustomers}</a></p>`
  return page(
    title(company.name),
    `<h2>${labels.customers}</h2>
      ${customers || `<p>${nothing}</p>`}
      ${more ?? ''}
      <h2>${labels.blocked}</h2>
      <p>${labels.blockedIntro}</p>
      ${blockedList(company, language)}
      ${blockForm(language, refused)}
      <h2>${labels.end}</h2>
      <p>${labels.endIntro}</p>
      <form method="post">
        <p><label><input type="checkbox" name="sure" value="yes" required> ${labels.sure}</label></p>
        <button name="action" value="end">${labels.end}</button>
      </form>`,
    { lang: language },
  )
}

/** Tells a customer that the page is not for customers. */
export function staffOnlyPage(company: string, login: string, language: Language): string {
  const { title, staffOnly, ...labels } = words[language]
  const body = `<p>${staffOnly(isolated(company))}</p><p><a href="${escaped(login)}">${labels.login}</a></p>`
  return page(title(company), body, { lang: language })
}

function customerSection(grant: ConnectedGrant, language: Language): string {
  const { grantId, clientId, subject, clientName } = grant
  const { allowed, disconnect, blockApp, ...labels } = words[language]
  return `<section>
        <h3>${isolated(subject)}</h3>
        <p>${appName(grant, language)}</p>
        ${appDetails(grant, allowed, language)}
        <dl><dt>${labels.clientId}</dt><dd>${isolated(clientId)}</dd></dl>
        ${button('disconnect', { value: grantId, subject }, disconnect, `${subject}, ${clientName}`)}
        ${button('block', { list: 'clientIds', value: clientId }, blockApp, `${clientName}, ${clientId}`)}
      </section>`
}

function blockedList({ blockedClients = {} }: Company, language: Language): string {
  const items = blockLists.flatMap((list) =>
    (blockedClients[list] ?? []).map(
      (value) => `<li>
          ${words[language][list]}: ${isolated(value)}
          ${button('allow', { list, value }, words[language].allow, value)}
        </li>`,
    ),
  )
  return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`
}

function blockForm(language: Language, refused: AdminOf['refused']): string {
  const { which, entry, block, refused: notSaved, ...labels } = words[language]
  const option = (list: BlockEntry['list']) =>
    `<option value="${list}"${list === refused?.list ? ' selected' : ''}>${labels[list]}</option>`
  const wrong = refused ? ` value="${escaped(refused.value)}" aria-invalid="true" aria-describedby="refused"` : ''
  // The library has this sentence in English alone.
  const problem = (text: string) =>
    `<p id="refused" role="alert">${notSaved} <span lang="en">The entry ${escaped(text)}</span></p>`
  return `<form method="post">
        <p><label for="list">${which}</label><br><select id="list" name="list">${blockLists.map(option).join('')}</select></p>
        <p><label for="value">${entry}</label><br><input id="value" name="value" required${wrong}></p>
        ${refused ? problem(refused.problem) : ''}
        <button name="action" value="block">${block}</button>
      </form>`
}

/** A form that is a button. */
function button(action: string, fields: Record<string, string>, label: string, of: string): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`,
  )
  return `<form method="post">
          ${inputs.join('')}
          <button name="action" value="${action}" aria-label="${label}: ${escaped(of)}">${label}</button>
        </form>`
}
