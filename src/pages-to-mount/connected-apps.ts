import type { ConnectedGrant } from '../administration/connected-grants'
import type { CustomerGrants } from '../administration/customer-grants'
import { identifier, requirements, text } from '../configuration/checks'
import { type ConnectedApp, disconnectQuestion, respondWithConnectedApps } from '../pages/connected-apps-page'
import type { Middleware } from '../resource-server/guards'
import {
  type Fields,
  mountedPage,
  type PageQuestion,
  type PageRooms,
  somebody,
  type Visit,
  type WhoHook,
  whoHook,
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
const checkedOptions = requirements({ who: whoHook<CustomerOfPage>() })
// Of a customer, with 100 grants each. No customer has more.
const maxPages = 20

/** The page on which customers see what they have connected, and disconnect it. */
export function connectedApps(given: ConnectedAppsOptions, grants: CustomerGrants, rooms: PageRooms): Middleware {
  const page = {
    where,
    whose: somebody({ tenantKey: text, subject: identifier }),
    expected: 'a tenantKey and a subject, or nothing',

    async show(visit: Visit<CustomerOfPage>, of: Fields): Promise<void> {
      const { res, tenantName, appearance } = visit
      respondWithConnectedApps(res, { tenantName, apps: await appsOf(visit), page: of('page') }, appearance)
    },

    async question(of: Fields, visit: Visit<CustomerOfPage>): Promise<PageQuestion | undefined> {
      const { who, tenant, tenantName, appearance } = visit
      const which = of('disconnect')
      const clientId = which === 'one' ? of('client_id') : ''
      if (which !== 'all' && clientId === '') return undefined
      const apps = await appsOf(visit)
      const app = apps.find((one) => one.clientId === clientId)
      if (which === 'all' ? apps.length === 0 : !app) return undefined
      return {
        ...disconnectQuestion(
          { tenantName, app, accessLeft: tenant.policy.lifetimes.accessToken },
          appearance.language,
        ),
        fields: { disconnect: which, client_id: clientId },
        confirmed: () => grants.revokeAll({ ...who, actor: 'customer', ...(app && { clientId }) }),
      }
    },
  }
  return mountedPage(page, checkedOptions(given, where).who, rooms)

  /** What the customer has connected: one entry for each client, the newest first. */
  async function appsOf({ who, appearance }: Visit<CustomerOfPage>): Promise<ConnectedApp[]> {
    const apps = new Map<string, ConnectedApp>()
    let after: string | undefined
    for (let count = 0; count < maxPages; count++) {
      const page = await grants.list({ ...who, language: appearance.language.tag, after })
      for (const grant of page.grants) apps.set(grant.clientId, merged(apps.get(grant.clientId), grant))
      after = page.next
      if (after === undefined) break
    }
    return [...apps.values()].sort((one, other) => other.connectedAt - one.connectedAt)
  }
}

function merged(app: ConnectedApp | undefined, grant: ConnectedGrant): ConnectedApp {
  const { clientId, clientName, vouchedFor, publisher, destinations, connectedAt, lastUsedAt, issuer } = grant
  const scopes = [...(app?.scopes ?? []), ...grant.scopeTexts]
  const isFirst = (text: string, index: number) => scopes.findIndex((other) => other.text === text) === index
  return {
    clientId,
    clientName,
    vouchedFor,
    publisher,
    destinations,
    scopes: scopes.filter(({ text }, index) => isFirst(text, index)),
    isManaged: issuer !== undefined || app?.isManaged === true,
    connectedAt: Math.min(connectedAt, app?.connectedAt ?? connectedAt),
    lastUsedAt: Math.max(lastUsedAt, app?.lastUsedAt ?? lastUsedAt),
  }
}
