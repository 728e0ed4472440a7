import { existsSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { cp, mkdir, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { isBuilt } from '../../support/is-built'
import { run } from './command'

export const root = join(__dirname, '../../..')

/** Where the tarball and the hosts that have installed it are kept, for a later run of the tests on another version of Node. */
const kept = process.env.PACKED_PACKAGE

// What other tests write while it is copied, too.
const leftBehind = ['.git', 'node_modules', 'coverage', '.snippets', 'reports']
const { version, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const tarballName = `customer-sign-in-${version}.tgz`

/** The package as it is published. */
export class PackedPackage {
  /** A folder for the files of the tests. */
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  get tarball(): string {
    return join(this.folder, tarballName)
  }

  /** Packs the package, unless it is kept from an earlier run. */
  static async pack(): Promise<PackedPackage> {
    if (kept) await mkdir(kept, { recursive: true })
    const packed = new PackedPackage(realpathSync(kept ?? mkdtempSync(join(tmpdir(), 'customer-sign-in-'))))
    if (!existsSync(packed.tarball)) await packed.#pack()
    return packed
  }

  /** Packs a copy, because `prepack` changes `dist`, which other tests use. */
  async #pack(): Promise<void> {
    const copy = mkdtempSync(join(this.folder, 'copy-'))
    await cp(root, copy, { recursive: true, filter: (path) => !leftBehind.includes(basename(path)) })
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
    const [first, ...others] = scripts.prepack.split(' && ')
    if (first === 'npm run build' && isBuilt()) {
      await run('sh', ['-c', others.join(' && ')], copy)
      await run('npm', ['pack', '--ignore-scripts'], copy)
    } else await run('npm', ['pack'], copy)
    // At once, as two files of tests may pack at the same time.
    await rename(join(copy, tarballName), this.tarball)
    await rm(copy, { recursive: true })
  }

  /** A folder with the contents of the tarball. */
  async unpack(): Promise<string> {
    const unpacked = mkdtempSync(join(this.folder, 'unpacked-'))
    await run('tar', ['-xzf', this.tarball, '-C', unpacked, '--strip-components=1'], this.folder)
    return unpacked
  }

  async remove(): Promise<void> {
    if (!kept) await rm(this.folder, { recursive: true, force: true })
  }
}
