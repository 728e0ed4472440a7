/**
 * Who a client acts for: a customer, nobody but itself (RFC 6749 section 4.4), or a workload, such as an agent, that a company's trusted issuer
 * vouches for. The subject of a token tells them apart (RFC 9068 section 5), for every reader of it.
 */
export type SubjectKind = 'customer' | 'client' | 'workload'

/** Every kind of subject. */
export const subjectKinds: readonly SubjectKind[] = ['customer', 'client', 'workload']

const clientPrefix = 'client:'
const workloadPrefix = 'workload:'

/** What no customer's subject begins with. */
export const reservedPrefixes: readonly string[] = [clientPrefix, workloadPrefix]

/** The subject of a client that acts for nobody but itself. */
export function subjectOfClient(clientId: string): string {
  return clientPrefix + clientId
}

/** The subject of a workload. Two issuers may call theirs the same, and no issuer has a `#` (RFC 8414 section 2). */
export function subjectOfWorkload(issuer: string, name: string): string {
  return `${workloadPrefix}${issuer}#${name}`
}

/** Who a subject is. */
export function kindOfSubject(subject: string): SubjectKind {
  if (subject.startsWith(clientPrefix)) return 'client'
  return subject.startsWith(workloadPrefix) ? 'workload' : 'customer'
}
