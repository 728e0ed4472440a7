import { type Fault, fault } from './report'

/** Says in plain words why there is no answer: DNS, the network, or TLS. */
export function unreachable(
  error: NodeJS.ErrnoException,
  { host, hostname, origin, pathname, port, protocol }: URL,
): Fault {
  const code = error.code ?? ''
  const name = hostname.replace(/^\[|\]$/g, '')
  switch (code) {
    case 'ENOTFOUND':
      return fault('dns', { host: name })
    case 'EAI_AGAIN':
      return fault('dns-server', { host: name })
    case 'ECONNREFUSED':
      return fault('refused', { host: name, port: port || (protocol === 'https:' ? '443' : '80') })
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return fault('no-route', { host })
    case 'CERT_HAS_EXPIRED':
      return fault('tls-expired', { host })
    case 'CERT_NOT_YET_VALID':
      return fault('tls-not-yet-valid', { host })
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return fault('tls-wrong-host', { host: name, names: namesOf(error) })
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return fault('tls-incomplete-chain', { host })
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return fault('tls-self-signed', { host })
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return fault('tls-unknown-authority', { host })
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return fault('tls-plain-http', { host })
  }
  if (code === 'EPROTO' && /wrong version number|packet length too long/.test(error.message))
    return fault('tls-plain-http', { host })
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_'))
    return fault('tls-failed', { host, reason: code === 'EPROTO' ? reasonIn(error.message) : code })
  if (code === 'HPE_HEADER_OVERFLOW') return fault('too-large', { url: origin + pathname, limit: '16 KiB of headers' })
  if (code.startsWith('HPE_')) return fault('not-http', { host })
  return fault('closed', { host, reason: code || error.message })
}

/** The names that the certificate of another host has. */
function namesOf(error: Error & { cert?: { subjectaltname?: string } }): string {
  return error.cert?.subjectaltname?.replaceAll('DNS:', '').replaceAll('IP Address:', '') || 'no name'
}

/** OpenSSL's words, which stand between colons: `error:0A000410:SSL routines::sslv3 alert handshake failure:…`. */
function reasonIn(message: string): string {
  return /::([^:]+):/.exec(message)?.[1] ?? 'the handshake failed'
}
