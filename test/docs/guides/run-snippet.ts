import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { snippetFolder, snippetWith } from '../pages'

/**
 * Runs the only snippet of a page that contains these words.
 *
 * @param given What readers have already when the snippet begins, such as `signIn`.
 * @returns What the snippet has declared, by its name.
 */
// biome-ignore lint/suspicious/noExplicitAny: a snippet is a text, so nothing is known of the types of what it declares.
export async function runSnippet(page: string, words: string, given: object): Promise<Record<string, any>> {
  const { code } = snippetWith(words, [page])
  const imports = [...code.matchAll(/^import .*$/gm)].join('\n')
  const body = code.replace(/^import .*$/gm, '')
  const declared = [...body.matchAll(/^(?:async )?(?:function|const|let|class) (\w+)/gm)].map(([, name]) => name)
  const folder = snippetFolder()
  try {
    const file = join(folder, 'snippet.ts')
    const run = `export default async ({ ${Object.keys(given).join(', ')} }) => {\n${body}\nreturn { ${declared.join(', ')} }\n}`
    writeFileSync(file, `${imports}\n${run}\n`)
    return await (await import(file)).default(given)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
