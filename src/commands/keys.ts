import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { WrongUse } from './wrong-use'

export const keysUsage = `  keys              Print a new signing key (ES256) and a new credential secret. Keep them secret.
    --format NAME         env (default), json or kubernetes
    --folder PATH         write them to the new files signing-key.pem and credential-secret there
`

type Keys = ReturnType<typeof newKeys>

const formats: Readonly<Record<string, (keys: Keys) => string>> = {
  env: ({ signingKey, credentialSecret }) =>
    // In base64, without line breaks and quotation marks: every reader takes that as it is.
    `SIGNING_KEY=${Buffer.from(signingKey).toString('base64')}\nCREDENTIAL_SECRET=${credentialSecret}\n`,
  json: ({ signingKey, credentialSecret }) =>
    `${JSON.stringify({ signing: [signingKey], credentialSecrets: [credentialSecret] }, null, 2)}\n`,
  kubernetes: ({ signingKey, credentialSecret }) => `apiVersion: v1
kind: Secret
metadata:
  name: customer-sign-in
type: Opaque
stringData:
  signing-key.pem: |
${signingKey.trimEnd().replaceAll(/^/gm, '    ')}
  credential-secret: ${credentialSecret}
`,
}

/** `customer-sign-in keys`: makes keys for the option `keys`. @returns The exit code. */
export function keys(args: string[]): number {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args, options: { format: text, folder: text } })
  const { format = 'env', folder } = values
  const formatted = Object.hasOwn(formats, format) ? formats[format] : undefined
  if (!formatted) throw new WrongUse('--format must be env, json or kubernetes')
  if (folder !== undefined && values.format !== undefined)
    throw new WrongUse('With --folder, leave --format out: it is for what is printed')
  if (folder === undefined) process.stdout.write(formatted(newKeys()))
  else writeKeys(folder, newKeys())
  return 0
}

/** A signing key, as PEM (PKCS #8), and a credential secret: 32 random bytes, in base64. */
function newKeys() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signingKey = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return { signingKey, credentialSecret: randomBytes(32).toString('base64') }
}

/** Writes files that only their owner can read. A key that is there may be in use, and must not be lost. */
function writeKeys(folder: string, { signingKey, credentialSecret }: Keys): void {
  const files = { [join(folder, 'signing-key.pem')]: signingKey, [join(folder, 'credential-secret')]: credentialSecret }
  const existing = Object.keys(files).find((file) => existsSync(file))
  if (existing !== undefined) throw new WrongUse(`${existing} exists already`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const [file, content] of Object.entries(files)) {
    writeFileSync(file, content, { flag: 'wx', mode: 0o600 })
    process.stdout.write(`${file}\n`)
  }
}
