import type { Report } from './report'
import { askApi, callApi, presentToken } from './steps/api'
import { openSignIn, tryDocument } from './steps/authorize'
import { readKeys, readResource, readServer } from './steps/metadata'
import { leave, register } from './steps/registration'
import { compareClocks, endGrant, refresh, revokeUnknown, signIn, tryWrongCode } from './steps/tokens'
import { Visit, type VisitOptions } from './visit'

/** Walks the way that an assistant goes from the address that customers paste into it, and says what it finds. */
export async function examine(address: string, options: VisitOptions = {}): Promise<Report> {
  const { window } = options
  const visit = new Visit(address, options)
  await visit.step('api', askApi)
  await visit.step('bearer', presentToken)
  await visit.step('resource', readResource)
  await visit.step('server', readServer)
  await visit.step('keys', readKeys)
  await visit.step('registration', register)
  await visit.step('authorize', openSignIn)
  await visit.step('document', tryDocument)
  await visit.step('token', tryWrongCode)
  await visit.step('revocation', revokeUnknown)
  await visit.step('clock', compareClocks)
  if (window) {
    await visit.step('sign-in', () => signIn(visit, window))
    await visit.step('call', callApi)
    await visit.step('refresh', refresh)
    await visit.step('end', endGrant)
  }
  await visit.step('leave', leave)
  return visit.report()
}
