import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { runTool } from './command'
import { type PackedPackage, root } from './packed-package'

/** Tests of what the package is made of. */
export function tarball(packed: () => PackedPackage): void {
  let unpacked: string
  let files: string[]

  beforeAll(async () => {
    unpacked = await packed().unpack()
    files = namesIn(unpacked)
  })

  it('holds the build and the documentation, and no sources, maps or generated pages', () => {
    const expected = ['AGENTS.md', 'CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'docs', 'package.json']
    expect(readdirSync(unpacked).sort()).toEqual(expected)
    const fitting = /^(dist\/.+\.js|dist\/.+\.d\.ts|docs\/[\w-]+\.md)$/
    const below = files.filter((name) => /\/.*\./.test(name))
    expect(below.filter((name) => !fitting.test(name))).toEqual([])
  })

  it('has a build of every source file and of no other', () => {
    expect(named(/^dist\/(.+)\.js$/)).toEqual(
      namesIn(join(root, 'src'))
        .flatMap((name) => /^(.+)\.ts$/.exec(name)?.[1] ?? [])
        .sort(),
    )
  })

  it('has one file of types for each entry point, beside those that several of them share', () => {
    const { exports } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'))
    const entries = Object.values<{ types?: string }>(exports).flatMap(({ types }) => types?.slice('./'.length) ?? [])
    const types = files.filter((name) => name.endsWith('.d.ts') && !name.startsWith('dist/shared/'))
    expect(types.sort()).toEqual(entries.sort())
  })

  it('has the index, the first page, and the pages that its messages and its types name', () => {
    const built = files.filter((name) => /\.(js|d\.ts)$/.test(name))
    const texts = built.map((name) => readFileSync(join(unpacked, name), 'utf8')).join()
    const pages = new Set(['docs/README.md', 'docs/start-here.md', ...(texts.match(/\bdocs\/[\w-]+\.md/g) ?? [])])
    expect(pages.size).toBeGreaterThan(5)
    expect(named(/^(docs\/.+)$/)).toEqual([...pages].sort())
  })

  it('requires each of its dependencies at run time, and no other package', () => {
    const packages = importedPackages(
      /^dist\/(?!opentelemetry\/).+\.js$/,
      /\brequire\("([^."][^"]*)"\)|\bimport\("([^."][^"]*)"\)/g,
    )
    const { dependencies } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'))
    expect(packages.filter((name) => !name.startsWith('node:'))).toEqual(Object.keys(dependencies).sort())
  })

  it('requires the API of OpenTelemetry only in customer-sign-in/opentelemetry', () => {
    const packages = importedPackages(/^dist\/opentelemetry\/.+\.js$/, /\brequire\("([^."][^"]*)"\)/g)
    expect(packages.filter((name) => !isBuiltin(name))).toEqual(['@opentelemetry/api'])
  })

  it('imports only types of Node in its types', () => {
    const packages = importedPackages(
      /^dist\/(?!opentelemetry\/).+\.d\.ts$/,
      /\bfrom '([^.'][^']*)'|\bimport\(["']([^."'][^"']*)["']\)/g,
    )
    expect(packages.filter((name) => !isBuiltin(name))).toEqual([])
    expect(packages).toContain('node:http')
  })

  it('satisfies publint', async () => {
    await runTool('publint', ['--strict', packed().tarball], root)
  })

  it('has types that resolve from CommonJS, ES modules and bundlers', async () => {
    await runTool('attw', [packed().tarball], root)
  })

  function named(pattern: RegExp): string[] {
    return files.flatMap((name) => pattern.exec(name)?.[1] ?? []).sort()
  }

  function importedPackages(built: RegExp, pattern: RegExp): string[] {
    const names = files
      .filter((name) => name.startsWith('dist/') && built.test(name))
      .flatMap((name) => [...readFileSync(join(unpacked, name), 'utf8').matchAll(pattern)])
      .map(([, first, second]) => first ?? second ?? '')
    return [...new Set(names)].sort()
  }
}

function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
}
