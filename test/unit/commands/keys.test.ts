import { execFileSync } from 'node:child_process'
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
  const script = 'console.log(JSON.stringify([process.env.SIGNING_KEY, process.env.CREDENTIAL_SECRET]))'
  const outputOf = (command: string, ...args: string[]): string => execFileSync(command, args, { encoding: 'utf8' })
  const readers: Record<string, (file: string) => string[]> = {
    'node --env-file': (file) => JSON.parse(outputOf(process.execPath, `--env-file=${file}`, '-e', script)),
    'a shell': (file) => JSON.parse(outputOf('sh', '-c', `set -a; . ${file}; ${process.execPath} -e '${script}'`)),
    // As they are, like those of systemd: the whole rest of a line.
    'docker run --env-file': (file) =>
      readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(line.indexOf('=') + 1)),
  }

  it('prints the lines of an .env file, which every reader reads alike', async () => {
    const file = join(folder, '.env')
    writeFileSync(file, await printed())
    const read = Object.values(readers).map((reader) => reader(file))
    const [[signingKey, credentialSecret] = []] = read
    expect(read).toEqual(read.map(() => [signingKey, credentialSecret]))
    expectAccepted([signingKey as string], [credentialSecret as string])
    expectAccepted([Buffer.from(`${signingKey}\n`)], [Buffer.from(`${credentialSecret}\n`)])
  })

  it.each(Object.keys(readers))(
    'makes a PEM that is written in one line of an .env file usable: %s',
    async (reader) => {
      const { signing, credentialSecrets } = JSON.parse(await printed('--format', 'json'))
      const file = join(folder, '.env')
      writeFileSync(
        file,
        `SIGNING_KEY="${signing[0].replaceAll('\n', '\\n')}"\nCREDENTIAL_SECRET=${credentialSecrets[0]}\n`,
      )
      const [signingKey = '', credentialSecret = ''] = readers[reader]?.(file) ?? []
      expectAccepted([signingKey], [credentialSecret])
    },
  )

  it('makes two that are not taken for each other', async () => {
    const { signing, credentialSecrets } = JSON.parse(await printed('--format', 'json'))
    expect(() => expectAccepted(credentialSecrets, credentialSecrets)).toThrow(
      /^customer-sign-in: keys\.signing\[0\] .* swapped\?/,
    )
    expect(() => expectAccepted(signing, signing)).toThrow(
      /^customer-sign-in: keys\.credentialSecrets\[0\] .* swapped\?/,
    )
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
