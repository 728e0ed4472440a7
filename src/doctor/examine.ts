import { Secrets } from './printable'
import type { Report, Step } from './report'
import { askApi } from './steps/api'
import { openSignIn } from './steps/authorize'
import { presentToken } from './steps/bearer'
import { callApi } from './steps/call'
import { compareClocks } from './steps/clock'
import { tryDocument } from './steps/document'
import { readKeys } from './steps/keys'
import { endGrant, refresh } from './steps/refresh'
import { leave, register } from './steps/registration'
import { readResource } from './steps/resource'
import { revokeUnknown } from './steps/revocation'
import { readServer } from './steps/server'
import { type SignInWindow, signIn } from './steps/sign-in'
import { tryWrongCode } from './steps/token'
import { Walk } from './walk'
import { Wire } from './wire'

export interface ExamineOptions {
  /** The client id to use, in place of registering a client. */
  clientId?: string | undefined
  /** Lets somebody sign in. Without it, the doctor goes no further than the first page. */
  window?: SignInWindow | undefined
  /** Is told of each step as soon as it is over. */
  onStep?: ((step: Step) => void) | undefined
  /** How long one request may take, in milliseconds. Default 15,000. */
  timeLimit?: number | undefined
}

/**
 * Walks the way that an assistant goes from the address of an API, and says what it finds.
 *
 * @param address The address that customers paste into an assistant.
 */
export async function examine(address: string, options: ExamineOptions = {}): Promise<Report> {
  const { clientId, window, onStep = () => {} } = options
  const redirectUri = window?.redirectUri ?? 'http://127.0.0.1/callback'
  const secrets = new Secrets()
  const wire = new Wire(options.timeLimit)
  const walk = new Walk(secrets, onStep)

  const api = await walk.step('api', [], (notes) => askApi(notes, wire, address))
  const scope = api.value?.challenge?.scope
  await walk.step('bearer', [api], (notes, found) => presentToken(notes, wire, address, found))
  const resource = await walk.step('resource', [api], (notes, found) => readResource(notes, wire, address, found))
  const server = await walk.step('server', [resource], (notes, found) =>
    readServer(notes, wire, found, clientId !== undefined),
  )
  await walk.step('keys', [server], (notes, found) => readKeys(notes, wire, found))
  const client = await walk.step('registration', [server], (notes, found) =>
    register(notes, wire, found, { clientId, redirectUri }),
  )
  const page = await walk.step('authorize', [server, client, resource], (notes, ...found) =>
    openSignIn(notes, wire, ...found, scope),
  )
  await walk.step('document', [page, server, resource], (notes, _page, ...found) =>
    tryDocument(notes, wire, ...found, scope),
  )
  await walk.step('token', [server, client, resource], (notes, ...found) => tryWrongCode(notes, wire, ...found))
  await walk.step('revocation', [server, client], (notes, ...found) => revokeUnknown(notes, wire, ...found))
  await walk.step('clock', [api], (notes) => compareClocks(notes, wire))
  if (window) {
    const tokens = await walk.step('sign-in', [server, client, resource], (notes, ...found) =>
      signIn(notes, wire, secrets, window, ...found, scope),
    )
    await walk.step('call', [api, tokens], (notes, ...found) => callApi(notes, wire, address, ...found))
    const refreshed = await walk.step('refresh', [server, client, resource, tokens], (_notes, ...found) =>
      refresh(wire, secrets, ...found),
    )
    await walk.step('end', [server, client, refreshed], (_notes, ...found) => endGrant(wire, secrets, ...found))
  }
  await walk.step('leave', [client], (notes, found) => leave(notes, wire, found))
  return walk.report(address)
}
