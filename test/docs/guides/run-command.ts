import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { testCertificate } from '../../support/tls-certificate'

/**
 * Runs a command for which every https address leads to a port of this machine.
 *
 * @returns What it prints.
 * @throws if its exit code is not 0.
 */
export async function runCommand(command: string, port: number): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'home-'))
  const certificate = join(home, 'test.crt')
  const commands = join(__dirname, 'commands')
  const forNode = {
    NODE_OPTIONS: `--require ${join(commands, 'lead-to.cjs')}`,
    NODE_EXTRA_CA_CERTS: certificate,
    LEAD_TO: String(port),
  }
  try {
    writeFileSync(certificate, testCertificate().cert)
    writeFileSync(join(home, '.curlrc'), `connect-to = "::127.0.0.1:${port}"\ncacert = "${certificate}"\n`)
    const env = { PATH: `${commands}:${process.env.PATH}`, HOME: home, ...forNode }
    // Not synchronous: this process answers the requests.
    const { stdout } = await promisify(execFile)('bash', ['-c', command], { env })
    return stdout
  } finally {
    rmSync(home, { recursive: true })
  }
}
