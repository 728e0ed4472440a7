import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Asked {
  /** The host, `127.0.0.1` by default. */
  host?: string
  /** When the certificate was made and for how long: `['-days', '-1']` is expired. */
  days?: number
}

/** An authority of its own with an intermediate authority, made by openssl. */
export class CertificateAuthority {
  readonly folder = mkdtempSync(join(tmpdir(), 'authority-'))

  constructor() {
    const { folder } = this
    const selfSigned = (name: string) => [
      'req',
      '-x509',
      ...newKey(join(folder, `${name}.key`)),
      '-subj',
      `/CN=${name}`,
    ]
    run([...selfSigned('root'), '-days', '2', '-out', this.root])
    writeFileSync(join(folder, 'ca.ext'), 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n')
    this.#sign('intermediate', 'root', 'ca.ext', 2)
    run([
      ...selfSigned('self'),
      '-days',
      '2',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-out',
      join(folder, 'self.pem'),
    ])
  }

  /** The file of the root certificate, for `NODE_EXTRA_CA_CERTS`. */
  get root(): string {
    return join(this.folder, 'root.pem')
  }

  /** A certificate for a server. @returns The lines of nginx that use it: with the intermediate certificate, or without. */
  certificate(name: string, { host = 'IP:127.0.0.1', days = 1 }: Asked = {}): { whole: string; alone: string } {
    writeFileSync(join(this.folder, `${name}.ext`), `subjectAltName=${host}\n`)
    this.#sign(name, 'intermediate', `${name}.ext`, days)
    const chain = ['intermediate.pem', `${name}.pem`].map((file) => readFileSync(join(this.folder, file), 'utf8'))
    writeFileSync(join(this.folder, `${name}-whole.pem`), chain.reverse().join(''))
    return { whole: this.lines(`${name}-whole.pem`, name), alone: this.lines(`${name}.pem`, name) }
  }

  /** The lines of nginx that use a certificate. */
  lines(file: string, key: string): string {
    return `ssl_certificate ${join(this.folder, file)}; ssl_certificate_key ${join(this.folder, `${key}.key`)};`
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  #sign(name: string, issuer: string, extensions: string, days: number): void {
    const at = (file: string) => join(this.folder, file)
    run(['req', ...newKey(at(`${name}.key`)), '-subj', `/CN=${name}`, '-out', at(`${name}.csr`)])
    const by = ['-CA', at(`${issuer}.pem`), '-CAkey', at(`${issuer}.key`), '-CAcreateserial']
    run([
      'x509',
      '-req',
      '-in',
      at(`${name}.csr`),
      ...by,
      '-days',
      `${days}`,
      '-extfile',
      at(extensions),
      '-out',
      at(`${name}.pem`),
    ])
  }
}

function newKey(file: string): string[] {
  return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', file]
}

function run(args: string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
