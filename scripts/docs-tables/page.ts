import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const generated = /(<!-- generated: ([\w./-]+) -->\n)([\s\S]*?)(<!-- \/generated -->\n)/g

export type Parts = Readonly<Record<string, () => string | Promise<string>>>

/**
 * A page with its generated parts written again.
 *
 * @param kept The names of parts that stay as they are.
 * @throws {Error} for a part that the page does not have, and for one that nothing makes.
 */
export async function withSections(page: string, parts: Parts, kept: readonly string[] = []): Promise<string> {
  const marked = [...page.matchAll(generated)].map(([, , name = '']) => name)
  const all: Parts = {
    ...parts,
    ...Object.fromEntries(marked.filter(isFile).map((file) => [file, () => included(file)])),
  }
  const [made, unmade] = [Object.keys(all), marked.filter((name) => !(name in all))]
  const unknown = [...unmade, ...made.filter((name) => !marked.includes(name))]
  if (unknown.length > 0) throw new Error(`Not both in a page and in scripts/docs-tables/sections.ts: ${unknown}`)
  const texts = new Map<string, string>()
  for (const [name, make] of Object.entries(all)) if (!kept.includes(name)) texts.set(name, `\n${await make()}\n\n`)
  return page.replace(generated, (_, begin, name, before, end) => begin + (texts.get(name) ?? before) + end)
}

const isFile = (name: string) => name.startsWith('examples/')
const languages: Record<string, string> = { mjs: 'js', conf: 'nginx', Caddyfile: 'caddyfile' }

/** A file of examples/ as a block of code. */
function included(file: string): string {
  const [, ending = ''] = /([^./]+)$/.exec(file) ?? []
  const text = readFileSync(join(__dirname, '../..', file), 'utf8').trim()
  return `\`\`\`${languages[ending] ?? ending}\n${text}\n\`\`\``
}

/** The page without its generated parts: what somebody has written. */
export function byHand(page: string): string {
  return page.replace(generated, '')
}
