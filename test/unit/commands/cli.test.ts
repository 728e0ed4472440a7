import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { postgresSchema } from 'customer-sign-in/postgres'

const root = join(__dirname, '../../..')

/** Runs the built command. */
function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/commands/cli.js'), ...args], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('npx customer-sign-in', () => {
  it('prints the SQL of the PostgreSQL store, as its options say', () => {
    expect(run('postgres:schema')).toEqual({ status: 0, stdout: postgresSchema(), stderr: '' })
    const options = ['--schema', 'sign_in', '--table-prefix', 'csi_', '--role', 'app']
    const stdout = postgresSchema({ schema: 'sign_in', tablePrefix: 'csi_', role: 'app' })
    expect(run('postgres:schema', ...options)).toEqual({ status: 0, stdout, stderr: '' })
  })

  it.each([['--help'], ['-h'], ['postgres:schema', '--help'], ['postgres:schema', '-h']])(
    'says how it is used if it is asked: %s %s',
    (...args) => {
      expect(run(...args)).toEqual({ status: 0, stdout: expect.stringMatching(/^Usage: .*--role NAME/s), stderr: '' })
    },
  )

  it('says its version if it is asked', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(run('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
  })

  it.each<[string, string[], RegExp]>([
    ['no command', [], /^Usage: /],
    [
      'an unknown command',
      ['postgres:shema'],
      /^postgres:shema is not a command\. Did you mean postgres:schema\?\n\nUsage: /,
    ],
    ['a command that is like no other', ['serve'], /^serve is not a command\.\n\nUsage: /],
    ['an unknown option', ['postgres:schema', '--name', 'x'], /^Unknown option '--name'/],
    ['an option that is wrong', ['postgres:schema', '--schema', 'Sign In'], /postgresSchema\.schema must be 1 to 40/],
  ])('prints nothing but what is wrong, and fails, for %s', (_, args, message) => {
    const { status, stdout, stderr } = run(...args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr).not.toContain(' at ')
  })

  it('goes on if nobody reads what it prints any more, and fails if that cannot be written', () => {
    const printed = (to: string) => {
      const script = `"$0" "$1" postgres:schema ${to}; exit "\${PIPESTATUS[0]}"`
      const { status, stderr } = spawnSync('bash', ['-c', script, process.execPath, join(root, 'dist/commands/cli.js')])
      return { status, stderr: String(stderr) }
    }
    expect(printed('| true')).toEqual({ status: 0, stderr: '' })
    expect(printed('> /dev/full')).toEqual({ status: 1, stderr: expect.stringContaining('ENOSPC') })
  })
})
