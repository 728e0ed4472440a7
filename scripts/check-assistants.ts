import { knownAssistants } from 'customer-sign-in'

/** Compares the documents in `src/assistants/assistants.ts` with the live ones, and says what differs. It needs the internet. */
async function main(): Promise<void> {
  for (const { document, date } of knownAssistants) {
    const differences = await differencesOf(document).catch((error: Error) => [`cannot be fetched: ${reasonOf(error)}`])
    if (differences.length > 0) process.exitCode = 1
    process.stdout.write(`${document.client_name}, ${document.client_id}, copied on ${date}: `)
    process.stdout.write(differences.length === 0 ? 'the same\n' : `\n  ${differences.join('\n  ')}\n`)
  }
}

/** What the live document says otherwise. Members that the copy does not have do not count. */
async function differencesOf(copy: Readonly<Record<string, unknown>>): Promise<string[]> {
  const response = await fetch(String(copy.client_id), {
    headers: { Accept: 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
  })
  if (response.status !== 200) return [`the status is ${response.status}`]
  const live: Record<string, unknown> = Object(await response.json())
  return Object.keys(copy)
    .filter((member) => textOf(copy[member]) !== textOf(live[member]))
    .map((member) => `${member}: ${textOf(copy[member])} here, ${textOf(live[member])} there`)
}

/** The order of a list, such as redirect_uris, means nothing. */
function textOf(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? value.toSorted() : value) ?? 'nothing'
}

function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}

void main()
