import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(__dirname, '..', '..')

/** ES modules, and every check that the compiler has, except those that only count what is not used. */
const strictest = {
  ...{ module: 'nodenext', moduleResolution: 'nodenext', target: 'es2022', types: ['node', 'jest'], noEmit: true },
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ noPropertyAccessFromIndexSignature: true, noImplicitOverride: true, noImplicitReturns: true },
  ...{ noFallthroughCasesInSwitch: true, allowUnreachableCode: false, allowUnusedLabels: false },
  ...{ verbatimModuleSyntax: true, isolatedModules: true, erasableSyntaxOnly: true, moduleDetection: 'force' },
  // The declarations of others do not stand all of that.
  skipLibCheck: true,
}

/** A host's project inside the repository, whose dependencies it so has, with the declarations of this package installed. */
export class StrictProject {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
    mkdirSync(this.#declarations, { recursive: true })
    this.write('tsconfig.json', JSON.stringify({ compilerOptions: strictest, include: ['*.ts'] }))
    this.write('package.json', JSON.stringify({ type: 'module' }))
    cpSync(join(root, 'package.json'), join(this.#declarations, 'package.json'))
    const build = ['-p', join(root, 'tsconfig.build.json'), '--emitDeclarationOnly', '--declarationMap', 'false']
    expect(tsc(...build, '--outDir', join(this.#declarations, 'dist'))).toBe('')
  }

  /** Where this package's declarations are. */
  get #declarations(): string {
    return join(this.folder, 'node_modules', 'customer-sign-in')
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text)
  }

  /** @returns What the compiler complains of. */
  compile(): string {
    return tsc('-p', this.folder)
  }
}

function tsc(...args: string[]): string {
  return spawnSync(join(root, 'node_modules', '.bin', 'tsc'), args, { encoding: 'utf8' }).stdout
}
