import { NewAssistant } from './new-assistant'
import { clientId, redirectUri } from './sign-in'

/** What an assistant, with a client id that the tenant knows, stores for one connection. */
export class AssistantSession extends NewAssistant {
  override readonly clientMetadata = { client_name: 'Assistant', redirect_uris: [redirectUri], scope: 'profile' }
  readonly #issuer: string

  constructor(issuer: string) {
    super({ clientId })
    this.#issuer = issuer
  }

  override clientInformation(): { client_id: string; issuer: string } {
    return { client_id: clientId, issuer: this.#issuer }
  }
}
