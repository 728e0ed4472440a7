import { runNode, runTool } from './command'
import { HostProject } from './host-project'
import { type PackedPackage, root } from './packed-package'
import { walkThrough } from './walk-through'

const strict = [
  ...['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'],
  // This also checks the declarations of the package, of Express and of Node.
  ...['--skipLibCheck', 'false', '--types', 'node', '--target', 'es2022', '--lib', 'es2022', '--esModuleInterop'],
]
const nodenext = ['--module', 'nodenext', '--moduleResolution', 'nodenext']
const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler']
const node10 = ['--module', 'commonjs', '--moduleResolution', 'node10']

/** Tests of a host in TypeScript that has installed the package. */
export function typescriptHost(packed: () => PackedPackage): void {
  let host: HostProject

  beforeAll(async () => {
    host = await HostProject.install('typescript', packed())
  })

  it.each([
    ['nodenext', nodenext],
    ['bundler', bundler],
    ['node10', node10],
  ])('compiles strictly with TypeScript 5.0 and %s resolution', async (_, resolution) => {
    await compile([...resolution, '--noEmit'], host.folder)
  })

  it.each([
    ['nodenext', nodenext],
    ['bundler', bundler],
  ])('compiles strictly with this package’s own TypeScript and %s resolution', async (_, resolution) => {
    await compile([...resolution, '--noEmit'], root)
  })

  it('compiles strictly with the newest types of Node', async () => {
    await compile([...nodenext, '--typeRoots', 'node_modules/@newest-types', '--noEmit'], root)
  })

  it('serves once it is compiled, and tests a token store and an app', async () => {
    await compile([...nodenext, '--outDir', 'built'], root)
    await host.whileServing(walkThrough, 'built/host.js')
    for (const tests of ['built/contract.js', 'built/kit.js']) {
      expect(await runNode(['--test', '--test-reporter=tap', tests], host.folder)).toMatch(/^# fail 0$/m)
    }
  })

  function compile(options: string[], compilerIn: string): Promise<string> {
    return runTool(
      'tsc',
      [...strict, ...options, 'host.ts', 'contract.ts', 'kit.ts', 'entries.ts'],
      host.folder,
      compilerIn,
    )
  }
}
