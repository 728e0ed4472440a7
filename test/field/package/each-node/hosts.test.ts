import { installedHosts } from '../installed-hosts'
import { PackedPackage } from '../packed-package'
import { readmeApp } from '../readme-app'

describe('the package, packed as it is published', () => {
  let packed: PackedPackage
  beforeAll(async () => {
    packed = await PackedPackage.pack()
  })
  afterAll(() => packed.remove())

  describe('in a host of JavaScript', () => installedHosts(() => packed))
  describe('as the complete app of the README uses it', () => readmeApp(() => packed))
})
