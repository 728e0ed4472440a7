/**
 * Who a client acts for: a customer, or nobody but itself (RFC 6749 section 4.4). The subject of a token tells them apart (RFC 9068 section 5),
 * for every reader of it.
 */
export type SubjectKind = 'customer' | 'client'

/** Every kind of subject. */
export const subjectKinds: readonly SubjectKind[] = ['customer', 'client']

/** Whether a text is a kind of subject. */
export function isSubjectKind(text: unknown): text is SubjectKind {
  return subjectKinds.includes(text as SubjectKind)
}

const clientPrefix = 'client:'

/** What no customer's subject begins with. Nobody has those of workloads yet. */
export const reservedPrefixes: readonly string[] = [clientPrefix, 'workload:']

/** The subject of a client that acts for nobody but itself. */
export function subjectOfClient(clientId: string): string {
  return clientPrefix + clientId
}

/** Who a subject is. */
export function kindOfSubject(subject: string): SubjectKind {
  return subject.startsWith(clientPrefix) ? 'client' : 'customer'
}
