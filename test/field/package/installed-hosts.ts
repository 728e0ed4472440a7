import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runNode, runTool } from './command'
import { HostProject } from './host-project'
import type { PackedPackage } from './packed-package'
import { walkThrough } from './walk-through'

/** Tests of hosts that have installed the package. */
export function installedHosts(packed: () => PackedPackage): void {
  let esm: HostProject
  let commonjs: HostProject
  let bare: HostProject

  beforeAll(async () => {
    const install = (name: string) => HostProject.install(name, packed())
    ;[esm, commonjs, bare] = await Promise.all([install('esm'), install('commonjs'), install('bare')])
  })

  it('serves Express 5 in a host of ES modules', async () => {
    await esm.whileServing(walkThrough)
  })

  it('serves the oldest supported Express 4, in a CommonJS host', async () => {
    await commonjs.whileServing(walkThrough)
  })

  it('serves node:http in a host without Express', async () => {
    expect(installed(bare, 'express')).toBe(false)
    await bare.whileServing(walkThrough)
  })

  it.each(['esm', 'commonjs'])('can test a token store with the test runner of Node (%s)', async (name) => {
    const { folder } = name === 'esm' ? esm : commonjs
    const report = await runNode(['--test', '--test-reporter=tap', 'contract.js'], folder)
    expect(report).toMatch(/^# pass [1-9]/m)
    expect(report).toMatch(/^# fail 0$/m)
  })

  it.each(['esm', 'commonjs'])(
    'can test an app with the test runner of Node, and prints nothing (%s)',
    async (name) => {
      const { folder } = name === 'esm' ? esm : commonjs
      const report = await runNode(['--test', '--test-reporter=tap', 'kit.js'], folder)
      expect(report).toMatch(/^# pass 6$/m)
      expect(report).not.toContain('CUSTOMER_SIGN_IN')
    },
  )

  it('exports the same names to ES modules and CommonJS, from every entry point, without its optional peers', async () => {
    expect(installed(bare, 'express') || installed(bare, 'ioredis')).toBe(false)
    const report = await runNode(['exports.js'], bare.folder)
    const exported = JSON.parse(report) as Record<string, { required: string[]; imported: string[] }>
    expect(Object.keys(exported)).toEqual(expect.arrayContaining(['customer-sign-in', 'customer-sign-in/testing']))
    const typesOnly = ['customer-sign-in/store', 'customer-sign-in/telemetry']
    for (const [entry, { required, imported }] of Object.entries(exported)) {
      expect(required.length > 0).toBe(!typesOnly.includes(entry))
      expect(imported).toEqual(expect.arrayContaining(required))
    }
  })

  it('has a command without its optional peers', async () => {
    expect(await runTool('customer-sign-in', ['postgres:schema'], bare.folder)).toContain('create schema ')
  })
}

function installed({ folder }: HostProject, dependency: string): boolean {
  return existsSync(join(folder, 'node_modules', dependency))
}
