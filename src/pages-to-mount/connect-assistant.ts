import { identifier, optional, requirements, resource, text } from '../configuration/checks'
import type { ConnectGuide, ConnectRequest } from '../connect/connect'
import { respondWithConnectPage } from '../pages/connect-page'
import type { Middleware } from '../resource-server/guards'
import { mountedPage, type PageRooms, somebody, type Visit, type WhoHook, whoHook } from './mounted-page'

/** For whom the page "Connect an assistant" is. */
export interface ReaderOfPage {
  /** The key of the company. */
  tenantKey: string
  /** The customer, who may not have logged in yet: nothing on the page is secret. */
  subject?: string | undefined
}

/** What the page "Connect an assistant" needs. */
export interface ConnectAssistantOptions {
  /** For whom the page is. */
  who: WhoHook<ReaderOfPage>
  /** One of the company's APIs. Default: the first of its resources. */
  resource?: string | undefined
}

const where = 'pages.connectAssistant'
const checkedOptions = requirements({ who: whoHook<ReaderOfPage>(), resource: optional(resource) })

/** The page that tells customers how to connect an assistant. */
export function connectAssistant(
  given: ConnectAssistantOptions,
  connect: (to: ConnectRequest) => Promise<ConnectGuide>,
  rooms: PageRooms,
): Middleware {
  const { who, resource } = checkedOptions(given, where)
  const page = {
    where,
    whose: somebody({ tenantKey: text, subject: optional(identifier) }),
    expected: 'a tenantKey, and a subject if there is one, or nothing',

    async show({ res, who: { tenantKey }, appearance }: Visit<ReaderOfPage>): Promise<void> {
      respondWithConnectPage(
        res,
        await connect({ tenantKey, ...(resource !== undefined && { resource }), language: appearance.language.tag }),
        appearance,
      )
    },
  }
  return mountedPage(page, who, rooms)
}
