/** Prints a line below a step. */
export function print(line: string): void {
  process.stdout.write(`   ${line}\n`)
}

let steps = 0

/** Begins a step, which a sentence or two describe. */
export function step(what: string): void {
  steps += 1
  process.stdout.write(`\n${steps}. ${what}.\n`)
}

/** Like `fetch`, but prints a line for each request that is part of signing in. */
export async function shownFetch(url: string | URL, sent?: RequestInit): Promise<Response> {
  const response = await fetch(url, sent)
  const { pathname } = new URL(url)
  const isToolCall = /^\/v1\/\w+\/mcp$/.test(pathname) && response.status !== 401 && response.status !== 403
  if (!isToolCall)
    print(`${sent?.method ?? 'GET'} ${pathname}: ${response.status} ${await reasonOf(response)}`.trimEnd())
  return response
}

/** Why a request was refused. */
async function reasonOf(response: Response): Promise<string> {
  if (response.ok) return ''
  return response.headers.get('WWW-Authenticate') ?? ((await response.clone().json()) as { error: string }).error
}
