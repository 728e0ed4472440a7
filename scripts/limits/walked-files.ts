import { readFileSync } from 'node:fs'
import Module from 'node:module'
import { sep } from 'node:path'
import { parseSync } from '@swc/core'
import { dist, loadBuild, type SampleName, sampleRequests } from './sample-requests'

type Load = (module: { _compile(code: string, filename: string): void }, filename: string) => void

/** What is looked at in the syntax tree of `@swc/core`, whose types lag behind it. */
interface SyntaxNode {
  type?: string
  span: { start: number; end: number }
  body: SyntaxNode
}

/** The files of `src` whose functions the first request of its kind enters, without `.ts`, in the order of the first entry. */
export async function walkedFiles(name: string): Promise<string[]> {
  const entered = new Set<string>()
  let isWalking = false
  Reflect.set(globalThis, 'enteredFile', (file: string) => isWalking && entered.add(file))
  const samples = sampleRequests(loadInstrumented(), async (send) => {
    isWalking = true
    const body = await send()
    isWalking = false
    return body
  })
  if (!(name in samples)) throw new Error(`There is no ${name}, but ${Object.keys(samples).join(', ')}`)
  await samples[name as SampleName]()
  return [...entered]
}

/** Loads the build anew, with a call of `enteredFile` at the start of each function. */
function loadInstrumented() {
  const loaders: Record<'.js', Load> = Reflect.get(Module, '_extensions')
  const load = loaders['.js']
  for (const filename of Object.keys(require.cache)) if (filename.startsWith(dist)) delete require.cache[filename]
  loaders['.js'] = (module, filename) => {
    if (!filename.startsWith(dist)) return load(module, filename)
    const file = filename.slice(dist.length, -'.js'.length).replaceAll(sep, '/')
    return module._compile(withCalls(readFileSync(filename, 'utf8'), `enteredFile('${file}')`), filename)
  }
  try {
    return loadBuild()
  } finally {
    loaders['.js'] = load
  }
}

/** The code with a call at the start of each function. */
function withCalls(code: string, call: string): string {
  // Positions are bytes, and count on from one file to the next: the added semicolon is where this one begins.
  const tree = parseSync(`;${code}`, { syntax: 'ecmascript', target: 'es2022' })
  const insertions: [position: number, text: string][] = []
  for (const { type, span, body } of nodesOf(tree as unknown as SyntaxNode)) {
    if (type === 'FunctionBody') insertions.push([span.start + 1, `${call};`])
    if (type !== 'ArrowFunctionExpression' || body.type === 'FunctionBody') continue
    insertions.push([body.span.start, `(${call}, `], [body.span.end, ')'])
  }
  // As latin1, each byte is a character. From the end, so that the positions before stay as they are.
  const bytes = insertions
    .map(([position, text]) => [position - tree.span.start - 1, text] as const)
    .sort(([one], [other]) => other - one)
    .reduce(
      (text, [at, inserted]) => text.slice(0, at) + inserted + text.slice(at),
      Buffer.from(code).toString('latin1'),
    )
  return Buffer.from(bytes, 'latin1').toString()
}

function nodesOf(value: object): SyntaxNode[] {
  const below = Object.values(value).flatMap((member) => (typeof member === 'object' && member ? nodesOf(member) : []))
  return 'type' in value ? [value as SyntaxNode, ...below] : below
}
