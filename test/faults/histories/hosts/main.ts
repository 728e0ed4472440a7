import { type CustomerSignInOptions, MemoryTenantStore } from 'customer-sign-in'
import { createSignIn } from '../../../support/test-options'
import { openStore } from '../stores/open-store'
import { defective } from './defects'
import { listenerOf } from './listener'
import { ownRoutes } from './own-routes'
import type { HostMessage, HostSettings } from './settings'

// One of a host's processes: sign-in, an API that checks whether the grant has ended, and routes for the campaign.
const settings: HostSettings = JSON.parse(process.env.HOST_SETTINGS ?? '')

process.on('unhandledRejection', (reason) => tell({ event: 'unhandled rejection', detail: String(reason) }))
process.on('uncaughtException', (error) => {
  tell({ event: 'uncaught exception', detail: String(error.stack) })
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
  process.disconnect?.()
})
process.on('disconnect', () => process.exit())

const clients = ['assistant-app', 'other-app'].map((clientId) => ({
  clientId,
  redirectUris: ['https://assistant.example/callback'],
}))
const needed: CustomerSignInOptions = {
  tenantStore: new MemoryTenantStore([
    { key: 'acme', id: 'acme', clients },
    { key: 'globex', id: 'globex', clients },
  ]),
  tokenStore: defective(openStore(settings.store), settings.defect),
  baseUrl: 'https://assistants.example',
  scopes: ['profile', 'calendar'],
  keys: { signing: settings.signingKeys, credentialSecrets: settings.credentialSecrets },
  onEvent: (event) =>
    tell({
      event: event.type === 'replayed' && event.ended ? 'replayed, ended' : event.type,
      ...('grantId' in event && { grantId: event.grantId }),
      ...(event.type === 'error' && { detail: event.error.message }),
      ...(event.type === 'denied' && { detail: event.description }),
    }),
}
const signIn = createSignIn(needed, settings.signIn)

const server = listenerOf(settings.framework, [...ownRoutes(signIn), signIn]).listen(settings.port, '127.0.0.1', () => {
  // On a busy machine, a client may send a request just as an idle connection is closed. That would be no fault of the sign-in.
  server.keepAliveTimeout = 0
  tell('listening')
})

function tell(message: HostMessage): void {
  process.send?.(message, undefined, undefined, () => {})
}
