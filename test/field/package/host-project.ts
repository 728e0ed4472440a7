import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { run } from './command'
import { type PackedPackage, root } from './packed-package'

/** A project from one of the folders in `hosts`, with the tarball and the dependencies of the project installed. */
export class HostProject {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Installs one, unless it is kept from an earlier run. */
  static async install(name: string, { folder, tarball }: PackedPackage): Promise<HostProject> {
    const project = join(folder, name)
    if (!existsSync(project)) {
      const unfinished = `${project}.unfinished`
      await cp(join(root, 'test/field/package/hosts', name), unfinished, { recursive: true })
      await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], unfinished)
      await rename(unfinished, project)
    }
    return new HostProject(project)
  }

  /** Runs a host, which prints its address when it listens, for as long as `use` takes. */
  async whileServing(use: (address: string) => Promise<void>, script = 'host.js'): Promise<void> {
    const host = spawn(process.execPath, [script], { cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = once(host, 'exit')
    try {
      await use(await addressOf(host, ended))
    } finally {
      host.kill()
      await ended
    }
  }
}

function addressOf({ stdout, stderr }: ChildProcessByStdio<null, Readable, Readable>, ended: Promise<unknown>) {
  let complaints = ''
  stderr.on('data', (chunk) => {
    complaints += chunk
  })
  const address = once(createInterface(stdout), 'line').then(([line]) => String(line))
  const failed = ended.then(() => {
    throw new Error(`The host ended before it listened:\n${complaints}`)
  })
  return Promise.race([address, failed])
}
