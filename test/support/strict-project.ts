import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isBuilt } from './is-built'

const root = resolve(__dirname, '..', '..')

/** ES modules, and every check of the compiler, except those for unused names. */
const strictest = {
  ...{ module: 'nodenext', moduleResolution: 'nodenext', target: 'es2022', types: ['node', 'jest'], noEmit: true },
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ noPropertyAccessFromIndexSignature: true, noImplicitOverride: true, noImplicitReturns: true },
  ...{ noFallthroughCasesInSwitch: true, allowUnreachableCode: false, allowUnusedLabels: false },
  ...{ verbatimModuleSyntax: true, isolatedModules: true, erasableSyntaxOnly: true, moduleDetection: 'force' },
  // The declarations of other packages do not pass all of these checks.
  skipLibCheck: true,
}

/** A host's project with the declarations of this package. It is inside the repository, and so has the repository's dependencies. */
export class StrictProject {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
    mkdirSync(this.#declarations, { recursive: true })
    this.write('tsconfig.json', JSON.stringify({ compilerOptions: strictest, include: ['*.ts'] }))
    this.write('package.json', JSON.stringify({ type: 'module' }))
    cpSync(join(root, 'package.json'), join(this.#declarations, 'package.json'))
    const dist = join(this.#declarations, 'dist')
    const build = ['-p', join(root, 'tsconfig.build.json'), '--emitDeclarationOnly', '--outDir', dist]
    if (isBuilt()) cpSync(join(root, 'dist'), dist, { recursive: true })
    else expect(tsc(...build)).toBe('')
  }

  /** The folder of this package's declarations. */
  get #declarations(): string {
    return join(this.folder, 'node_modules', 'customer-sign-in')
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text)
  }

  /** @returns The errors of the compiler. */
  compile(): string {
    return tsc('-p', this.folder)
  }
}

function tsc(...args: string[]): string {
  return spawnSync(join(root, 'node_modules', '.bin', 'tsc'), args, { encoding: 'utf8' }).stdout
}
