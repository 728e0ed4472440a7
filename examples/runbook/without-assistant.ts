import type { Tenant } from 'customer-sign-in'

/** A company's record that lets an assistant in no more. */
export function withoutAssistant(record: Tenant): Tenant {
  const blocked = record.blockedClients
  return {
    ...record,
    blockedClients: {
      ...blocked,
      documentHosts: [...(blocked?.documentHosts ?? []), 'assistant.example'], // if it has a metadata document
      redirectHosts: [...(blocked?.redirectHosts ?? []), 'assistant.example'], // if it registers
    },
  }
}
