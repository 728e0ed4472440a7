import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(__dirname, '../..')

export interface Documented {
  name: string
  isOptional: boolean
  /** The declared type, as it is written. */
  type: string
  /** What the docstring says before its tags, on one line. */
  says: string
}

/** The members of an interface in `src` that have a docstring, in the order of their declaration. */
export function membersOf(file: string, name: string): Documented[] {
  const text = readFileSync(join(root, 'src', `${file}.ts`), 'utf8')
  const [, body] = new RegExp(`^(?:export )?interface ${name}\\b[^{]*\\{\\n(.*?)^\\}`, 'ms').exec(text) ?? []
  if (body === undefined) throw new Error(`${file} has no interface ${name}`)
  const member = /^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}(?:readonly )?(\w+)(\??)[:(<]\s*(.*)$/gm
  return [...body.matchAll(member)].map(([, docstring = '', member = '', mark, type = '']) => ({
    name: member,
    isOptional: mark === '?',
    type,
    says: sentencesOf(docstring),
  }))
}

/** The names of the interfaces that an interface extends. */
export function parentsOf(file: string, name: string): string[] {
  const text = readFileSync(join(root, 'src', `${file}.ts`), 'utf8')
  const [, parents = ''] = new RegExp(`^export interface ${name} extends ([^{]*) \\{`, 'm').exec(text) ?? []
  return [...parents.matchAll(/\b([A-Z]\w+Event|[A-Z]\w+Message|MessageRefusal|ErrorContext)\b/g)].map(
    ([, parent = '']) => parent,
  )
}

/** The words in a list of `src`, each with what the comment in front of it says. */
export function wordsOf(file: string, name: string): [word: string, says: string][] {
  const text = readFileSync(join(root, 'src', `${file}.ts`), 'utf8')
  const [, list] = new RegExp(`^export const ${name} = \\[\\n(.*?)^\\] as const`, 'ms').exec(text) ?? []
  if (list === undefined) throw new Error(`${file} has no list ${name}`)
  return [...list.matchAll(/((?: {2}\/\/ .*\n)+) {2}'(\w+)',\n/g)].map(([, comment = '', word = '']) => [
    word,
    comment
      .replace(/^ *\/\/ /gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
  ])
}

/** What the docstring of a declaration says. */
export function docstringOf(file: string, declaration: string): string {
  const text = readFileSync(join(root, 'src', `${file}.ts`), 'utf8')
  const [before = ''] = text.split(`\n${declaration}`)
  return sentencesOf(before.slice(before.lastIndexOf('/**') + 3).replace('*/', ''))
}

function sentencesOf(docstring: string): string {
  const [sentences = ''] = docstring.replace(/^ *\* ?/gm, '').split(/^@\w/m)
  return sentences
    .replace(/\{@link (\w+)(?:\.(\w+))?\}/g, (_, type, member) => `\`${member ?? type}\``)
    .replace(/\s?\(docs\/[^)]+\)/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
