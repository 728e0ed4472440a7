import { execFileSync } from 'node:child_process'
import https from 'node:https'

/** A key and its certificate, as PEM. */
interface Certificate {
  key: string
  cert: string
}

const names = [
  ...['127.0.0.1', 'assistant.example', 'assistant.acme.com'],
  ...['stranger.example', '*.stranger.example', 'tenth.example'],
]
const numbered = Array.from({ length: 20 }, (_, index) => `*.stranger${index}.example`)

let made: Certificate | undefined

/** A self-signed certificate for this machine, `assistant.example`, `assistant.acme.com`, `stranger.example` and all names below, and `*.stranger0.example` to 19. */
export function testCertificate(): Certificate {
  made ??= newCertificate()
  return made
}

function newCertificate(): Certificate {
  const subjects = [...names, ...numbered].map((name) => (name === '127.0.0.1' ? `IP:${name}` : `DNS:${name}`))
  const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
  const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=${subjects.join(',')}`]
  const pem = execFileSync('openssl', ['req', ...options, ...subject, '-keyout', '-', '-out', '-'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [key = '', cert = ''] = pem.match(/-----BEGIN [\s\S]+?-----END [A-Z ]+-----/g) ?? []
  return { key, cert }
}

/** Makes this process trust that certificate, until the mocks are restored. */
export function trustTestCertificate(): void {
  const { request } = https
  jest
    .spyOn(https, 'request')
    .mockImplementation(((url: URL, options: https.RequestOptions) =>
      request(url, { ...options, ca: testCertificate().cert })) as never)
}
