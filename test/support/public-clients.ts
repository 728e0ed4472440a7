import type { RegistrationRules } from '../../src/clients/registrations'

/** The rules of a server where clients cannot authenticate, and no app has an address without a dot. */
export const publicClients: RegistrationRules = {
  appRedirects: [],
  authentication: { methods: ['none'], allowLoopback: false },
}
