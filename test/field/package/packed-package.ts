import { mkdtempSync, readdirSync, realpathSync } from 'node:fs'
import { cp, mkdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { run } from './command'

export const root = join(__dirname, '../../..')

const leftBehind = ['.git', 'node_modules', 'dist', 'coverage']

/** The package as it is published, built and packed from a copy, so that parallel tests keep their `dist`. */
export class PackedPackage {
  /** A folder for the files of the tests. */
  readonly folder: string
  readonly tarball: string

  private constructor(folder: string, tarball: string) {
    this.folder = folder
    this.tarball = tarball
  }

  static async pack(): Promise<PackedPackage> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'customer-sign-in-')))
    const copy = join(folder, 'copy')
    await cp(root, copy, { recursive: true, filter: (path) => !leftBehind.includes(basename(path)) })
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
    await run('npm', ['pack', '--pack-destination', folder], copy)
    const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    return new PackedPackage(folder, join(folder, tarball))
  }

  /** A folder with the contents of the tarball. */
  async unpack(): Promise<string> {
    const unpacked = join(this.folder, 'unpacked')
    await mkdir(unpacked)
    await run('tar', ['-xzf', this.tarball, '-C', unpacked, '--strip-components=1'], this.folder)
    return unpacked
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true })
  }
}
