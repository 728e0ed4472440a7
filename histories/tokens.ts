import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Held } from './token-endpoint'

const commandTimeout = 60_000

/** Where the refresh tokens come from: a file with one in each line, or a command that prints another one each time. */
export interface Source {
  tokens?: string | undefined
  command?: string | undefined
}

/**
 * Takes as many refresh tokens as are needed.
 *
 * A line is a token, or JSON: `{ "refresh_token": "…", "client_id": "…" }` where each token has a client of its own.
 *
 * @throws {Error} if there are too few, or if the command fails.
 */
export async function takeTokens(
  { tokens, command }: Source,
  count: number,
  client: Omit<Held, 'token'>,
): Promise<Held[]> {
  const lines = tokens === undefined ? await printed(command ?? '', count) : linesOf(await readFile(tokens, 'utf8'))
  const held = [...new Set(lines)].slice(0, count).map((line) => heldIn(line, client))
  if (held.length < count)
    throw new Error(`${count} refresh tokens are needed, each of a sign-in of its own; there are ${held.length}`)
  return held
}

async function printed(command: string, count: number): Promise<string[]> {
  const lines: string[] = []
  for (let times = 0; times < count; times++) {
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { timeout: commandTimeout })
    const line = linesOf(stdout).at(-1)
    if (line === undefined) break
    lines.push(line)
  }
  return lines
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => line.trim() || [])
}

function heldIn(line: string, client: Omit<Held, 'token'>): Held {
  if (!line.startsWith('{')) return { ...client, token: line }
  const { refresh_token: token, client_id: clientId = client.clientId } = JSON.parse(line)
  return { ...client, token: String(token), clientId: String(clientId) }
}
