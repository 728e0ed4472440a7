import { installedHosts } from './installed-hosts'
import { PackedPackage } from './packed-package'
import { readmeApp } from './readme-app'
import { tarball } from './tarball'
import { typescriptHost } from './typescript-host'

jest.setTimeout(240_000)

describe('the package, packed as it is published', () => {
  let packed: PackedPackage
  beforeAll(async () => {
    packed = await PackedPackage.pack()
  })
  afterAll(() => packed.remove())

  describe('as a tarball', () => tarball(() => packed))
  describe('in a host of JavaScript', () => installedHosts(() => packed))
  describe('as the complete app of the README uses it', () => readmeApp(() => packed))
  describe('in a host of TypeScript', () => typescriptHost(() => packed))
})
