import { appRedirectsOfAssistants } from '../../../src/assistants/assistants'
import { Registrations } from '../../../src/clients/registrations'
import type { Assistant, Found } from './assistant'

/** How long the id of an assistant is that registers itself, and the address that it sends its customers to. */
export interface RegistrationLengths {
  name: string
  id: number
  authorizeUrl: number
}

const host = 'https://assistant.example'

// What assistants find at the example of the README, with two scopes.
const found: Found = {
  pasted: `${host}/v1/acme/mcp`,
  challenged: 'bookings:read bookings:write',
  announced: `${host}/v1/acme/mcp`,
  scopesOfResource: ['bookings:read', 'bookings:write'],
  scopesOfServer: ['bookings:read', 'bookings:write', 'offline_access'],
}

/** The lengths of every assistant that registers, and of every variant. */
export function registrationLengthsOf(assistants: readonly Assistant[]): RegistrationLengths[] {
  return assistants.flatMap((assistant) => {
    const { name, variant, connects, plays, host: settings } = assistant
    if (connects !== 'registration' || !plays?.registers) return []
    const methods = settings?.options?.clients?.authentication ?? ['none']
    const rules = { appRedirects: appRedirectsOfAssistants, authentication: { methods, allowLoopback: false } }
    const registrations = new Registrations(rules, [Buffer.alloc(32)], Date.now)
    const policy = { scopes: [], registeredClients: true, clientRules: { allowed: undefined, blocked: [] } }
    const tenant = { id: 'acme', address: { ownAddresses: [host] }, policy } as never
    const { client } = registrations.register(plays.registers(found), tenant)
    const parameters = {
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: plays.redirectUri,
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
      state: 'x'.repeat(43),
      scope: plays.scope(found) ?? '',
      resource: plays.resource(found, 'page') ?? '',
    }
    const authorizeUrl = `${host}/v1/acme/oauth/authorize?${new URLSearchParams(parameters)}`.length
    return [{ name: variant ? `${name}, ${variant}` : `**${name}**`, id: client.clientId.length, authorizeUrl }]
  })
}
