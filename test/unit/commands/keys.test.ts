import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCustomerSignIn, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import { parse } from 'yaml'
import { runCommand } from '../../support/run-doctor'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keys-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function printed(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await runCommand(['keys', ...args])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

/** Fails unless an instance takes the keys in production, where it checks them most. */
function expectAccepted(signingKeys: (string | Buffer)[], credentialSecrets: (string | Buffer)[]): void {
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  try {
    createCustomerSignIn({
      tenantStore: new MemoryTenantStore([]),
      tokenStore: new MemoryTokenStore(),
      baseUrl: 'https://assistant.example',
      keys: { signing: signingKeys, credentialSecrets },
    })
  } finally {
    process.env.NODE_ENV = NODE_ENV
  }
}

describe('npx customer-sign-in keys', () => {
  it('prints the lines of an .env file', async () => {
    const file = join(folder, '.env')
    writeFileSync(file, await printed())
    const script = 'console.log(JSON.stringify([process.env.SIGNING_KEY, process.env.CREDENTIAL_SECRET]))'
    const { execFileSync } = await import('node:child_process')
    const read = execFileSync(process.execPath, [`--env-file=${file}`, '-e', script], { encoding: 'utf8' })
    const [signingKey, credentialSecret] = JSON.parse(read)
    expect(signingKey).toMatch(/^-----BEGIN PRIVATE KEY-----\n[\s\S]+\n-----END PRIVATE KEY-----\n$/)
    expectAccepted([signingKey], [credentialSecret])
  })

  it('prints the two options as JSON', async () => {
    const { signing, credentialSecrets } = JSON.parse(await printed('--format', 'json'))
    expectAccepted(signing, credentialSecrets)
  })

  it('prints a Secret of Kubernetes, whose files are those of the docs', async () => {
    const { apiVersion, kind, stringData } = parse(await printed('--format', 'kubernetes'))
    expect({ apiVersion, kind }).toEqual({ apiVersion: 'v1', kind: 'Secret' })
    expectAccepted([stringData['signing-key.pem']], [stringData['credential-secret']])
  })

  it('writes files that only their owner can read, and replaces none', async () => {
    const within = join(folder, 'new', 'secrets')
    const files = ['signing-key.pem', 'credential-secret'].map((name) => join(within, name))
    expect(await printed('--folder', within)).toBe(`${files.join('\n')}\n`)
    const [signingKey, credentialSecret] = files.map((file) => readFileSync(file))
    expectAccepted([signingKey as Buffer], [credentialSecret as Buffer])
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])

    const again = await runCommand(['keys', '--folder', within])
    expect(again).toEqual({ status: 2, stdout: '', stderr: `${files[0]} exists already\n` })
    expect(readFileSync(String(files[0]))).toEqual(signingKey)
  })

  it('writes through no link that leads nowhere yet', async () => {
    const elsewhere = join(folder, 'elsewhere')
    symlinkSync(elsewhere, join(folder, 'signing-key.pem'))
    const { status, stderr } = await runCommand(['keys', '--folder', folder])
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('EEXIST') })
    expect(existsSync(elsewhere)).toBe(false)
  })

  it('makes new ones each time', async () => {
    const [one, other] = await Promise.all([printed('--format', 'json'), printed('--format', 'json')])
    const all = [one, other]
      .map((text) => JSON.parse(text))
      .flatMap((made) => [...made.signing, ...made.credentialSecrets])
    expect(new Set(all).size).toBe(4)
  })

  it.each([
    ['--format', 'pem'],
    ['--format', 'toString'],
    ['--format', 'json', '--folder', '/nowhere'],
  ])('is used wrongly with %s %s %s', async (...args) => {
    const { status, stdout, stderr } = await runCommand(['keys', ...args])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/--format/)
  })
})
