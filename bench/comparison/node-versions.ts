import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The major version of the Node that runs this. */
export const nodeMajor = String(Number.parseInt(process.versions.node, 10))

/** Runs this script with each of these major versions of Node, which npm brings. @param args Its command line. */
export async function runOnEach(majors: readonly string[], args: readonly string[]): Promise<void> {
  const wrong = majors.find((major) => !/^\d+$/.test(major))
  if (wrong !== undefined) throw new Error(`--node must be major versions such as 22,24, not ${wrong}`)
  const folder = mkdtempSync(join(tmpdir(), 'bench-node-'))
  try {
    for (const major of majors) {
      const node = major === nodeMajor ? process.execPath : install(major, join(folder, major))
      process.stderr.write(`Node ${major}: ${node}\n`)
      const child = spawn(node, [process.argv[1] ?? '', ...args], { stdio: 'inherit' })
      const [status] = await once(child, 'exit')
      if (status !== 0) throw new Error(`The benchmark on Node ${major} ended with status ${status}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @returns The path of the program. */
function install(major: string, folder: string): string {
  const name = `node-${process.platform}-${process.arch}`
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--silent']
  execFileSync('npm', ['install', '--prefix', folder, ...quiet, `${name}@${major}`], { stdio: 'inherit' })
  return join(folder, 'node_modules', name, 'bin', 'node')
}
