import { PackedPackage } from './packed-package'
import { tarball } from './tarball'
import { typescriptHost } from './typescript-host'

describe('the package, packed as it is published', () => {
  let packed: PackedPackage
  beforeAll(async () => {
    packed = await PackedPackage.pack()
  })
  afterAll(() => packed.remove())

  describe('as a tarball', () => tarball(() => packed))
  describe('in a host of TypeScript', () => typescriptHost(() => packed))
})
