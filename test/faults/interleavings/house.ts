import crypto from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { compileFunction } from 'node:vm'
import { transformSync } from '@swc/core'

const src = resolve(__dirname, '../../../src')

/** What the sources take from the machine that they run on. */
export interface Machine {
  performance: { now(): number }
  setTimeout(call: () => void, delay: number): unknown
  clearTimeout(timer: unknown): void
  randomUUID(): string
  /** From 1. */
  randomInt(): number
}

/** A change of a source file: `old` stands in it once. */
export interface Patch {
  file: string
  old: string
  by: string
}

/** The sources, loaded once more, with the clock, timers and random ids of a machine that can be exchanged. */
export interface House {
  load<Module>(name: string): Module
  runOn(machine: Machine): void
}

/** An attempt is named by who makes it, and not by how many there were before: so the order of two requests makes no two worlds of one. */
const namesOfAttempts: Patch = {
  file: 'grants/swaps.ts',
  old: "ownName ??= randomBytes(8).toString('base64url')",
  by: "return require('node:crypto').randomUUID().slice(-12)",
}

const compiled = new Map<string, string>()

/** Loads the sources with these changes. */
export function openHouse(patches: readonly Patch[] = []): House {
  let machine: Machine | undefined
  const on = (): Machine => {
    if (!machine) throw new Error('The house runs on no machine yet')
    return machine
  }
  const modules = new Map<string, { exports: unknown }>()
  const ofMachine = {
    performance: { now: () => on().performance.now() },
    setTimeout: (call: () => void, delay: number) => on().setTimeout(call, delay),
    clearTimeout: (timer: unknown) => on().clearTimeout(timer),
  }
  const withOwnIds = { ...crypto, randomUUID: () => on().randomUUID(), randomInt: () => on().randomInt() }

  function load(file: string): unknown {
    const known = modules.get(file)
    if (known) return known.exports
    const module = { exports: {} }
    modules.set(file, module)
    const outside = createRequire(file)
    const require = (name: string) => {
      if (name === 'node:crypto') return withOwnIds
      return name.startsWith('.') ? load(fileOf(join(file, '..', name))) : outside(name)
    }
    const names = ['exports', 'require', 'module', ...Object.keys(ofMachine)]
    const run = compileFunction(compile(file, patches), names, { filename: file })
    run(module.exports, require, module, ...Object.values(ofMachine))
    return module.exports
  }

  return {
    load: <Module>(name: string) => load(join(src, `${name}.ts`)) as Module,
    runOn: (other) => {
      machine = other
    },
  }
}

function fileOf(path: string): string {
  return path.endsWith('.ts') ? path : `${path}.ts`
}

function compile(file: string, patches: readonly Patch[]): string {
  const isOfFile = (patch: Patch) => join(src, patch.file) === file
  const own = patches.filter(isOfFile)
  const known = own.length === 0 ? compiled.get(file) : undefined
  if (known !== undefined) return known
  const source = [namesOfAttempts].filter(isOfFile).concat(own).reduce(patched, readFileSync(file, 'utf8'))
  const { code } = transformSync(source, {
    filename: file,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'commonjs' },
  })
  if (own.length === 0) compiled.set(file, code)
  return code
}

function patched(source: string, { file, old, by }: Patch): string {
  if (source.split(old).length !== 2) throw new Error(`The text to change does not stand once in ${file}: ${old}`)
  return source.replace(old, () => by)
}
