import type { Exchange } from '../history'
import { isSuccess } from './exchanges'
import type { Finding } from './finding'
import { groupBy } from './group-by'

/** Rule (e): nobody gets a token of another, and no forgery succeeds. */
export function mixedUp(exchanges: readonly Exchange[]): Finding[] {
  const owners = new Map<string, number>()
  const found: Finding[] = []
  for (const grant of groupBy(exchanges, (exchange) => exchange.grant).values()) {
    const expected = grant.findLast(({ act, gave }) => act === 'sign-in' && gave?.who)?.gave?.who
    const grantIds = new Set<string>()
    for (const exchange of grant) {
      const { gave, forged, answer } = exchange
      const report = (why: string) => found.push({ rule: 'e', why, grant: exchange.grant, shownBy: [exchange.id] })
      if (forged && isSuccess(exchange)) report(`a forgery was answered with ${answer}`)
      for (const credential of [gave?.credential, gave?.accessToken]) {
        if (credential === undefined) continue
        const owner = owners.get(credential) ?? exchange.grant
        owners.set(credential, owner)
        if (owner !== exchange.grant) report(`a credential of grant ${owner} was given to another`)
      }
      if (!gave?.who || exchange.act === 'sign-in') continue
      const { subject, clientId, tenantKey, grantId } = gave.who
      if (subject !== expected?.subject) report(`the subject is ${subject}`)
      if (clientId !== expected?.clientId) report(`the client is ${clientId}`)
      if (tenantKey !== expected?.tenantKey) report(`the tenant is ${tenantKey}`)
      if (grantId !== undefined) grantIds.add(grantId)
      if (grantIds.size > 1) report(`the grant has two ids: ${[...grantIds].join(', ')}`)
    }
  }
  return found
}
