import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { runTool } from './command'
import { PackedPackage, root } from './packed-package'

jest.setTimeout(120_000)

describe('the tarball', () => {
  let packed: PackedPackage
  let unpacked: string
  let files: string[]

  beforeAll(async () => {
    packed = await PackedPackage.pack()
    unpacked = await packed.unpack()
    files = readdirSync(unpacked, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
  })
  afterAll(() => packed.remove())

  it('holds the build, its source and the documentation, and nothing else', () => {
    expect(readdirSync(unpacked).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist',
      'docs',
      'package.json',
      'src',
    ])
    const fitting = /^(dist\/postgres-schema\.sql|dist\/.+\.(js|d\.ts)(\.map)?|src\/.+(?<!\.test)\.ts|docs\/.+\.md)$/
    const below = files.filter((name) => /\/.*\./.test(name))
    expect(below.filter((name) => !fitting.test(name))).toEqual([])
  })

  it('has a build of every source file and of no other', () => {
    const named = (pattern: RegExp) => files.flatMap((name) => pattern.exec(name)?.[1] ?? []).sort()
    const source = named(/^src\/(.+)\.ts$/)
    expect(named(/^dist\/(.+)\.js$/)).toEqual(source)
    expect(named(/^dist\/(.+)\.d\.ts$/)).toEqual(source)
  })

  it('has a source map from every built file to its source', () => {
    const built = files.filter((name) => /^dist\/.+\.(js|d\.ts)$/.test(name))
    const lost = built.filter((name) => {
      const { sources } = JSON.parse(readFileSync(join(unpacked, `${name}.map`), 'utf8'))
      const source = join(unpacked, dirname(name), sources[0])
      const expected = join(unpacked, name.replace(/^dist/, 'src').replace(/(\.d\.ts|\.js)$/, '.ts'))
      return source !== expected || !existsSync(source)
    })
    expect(built.length).toBeGreaterThan(0)
    expect(lost).toEqual([])
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
    await runTool('publint', ['--strict', packed.tarball], root)
  })

  it('has types that resolve from CommonJS, ES modules and bundlers', async () => {
    await runTool('attw', [packed.tarball], root)
  })

  function importedPackages(built: RegExp, pattern: RegExp): string[] {
    const names = files
      .filter((name) => name.startsWith('dist/') && built.test(name))
      .flatMap((name) => [...readFileSync(join(unpacked, name), 'utf8').matchAll(pattern)])
      .map(([, first, second]) => first ?? second ?? '')
    return [...new Set(names)].sort()
  }
})
