import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const script = join(__dirname, '../../scripts/setup.sh')

/** A machine that has only these commands on its PATH, each a shell script. The arguments of each call are logged. */
class Machine {
  readonly #bin = mkdtempSync(join(tmpdir(), 'setup-'))
  readonly #log = join(this.#bin, 'log')

  constructor(commands: Record<string, string>) {
    for (const tool of ['bash', 'cat', 'env', 'head', 'sed', 'sort']) {
      symlinkSync(execFileSync('/bin/sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim(), this.#path(tool))
    }
    writeFileSync(this.#log, '')
    for (const [name, body] of Object.entries(commands)) this.#add(name, body)
  }

  setUp(...args: string[]): { status: number | null; output: string; called: string[] } {
    const env = { PATH: this.#bin, LOG: this.#log, BIN: this.#bin }
    const { status, stdout, stderr } = spawnSync(this.#path('bash'), [script, ...args], { env, encoding: 'utf8' })
    const called = readFileSync(this.#log, 'utf8').split('\n').filter(Boolean)
    return { status, output: stdout + stderr, called }
  }

  remove(): void {
    rmSync(this.#bin, { recursive: true })
  }

  #add(name: string, body: string): void {
    writeFileSync(this.#path(name), `#!/bin/sh\necho "${name} $*" >> "$LOG"\n${body}\n`)
    chmodSync(this.#path(name), 0o755)
  }

  #path(name: string): string {
    return join(this.#bin, name)
  }
}

const redis = { 'redis-server': 'echo "Redis server v=7.0.15 sha=0:0 malloc=libc bits=64"', 'redis-cli': '' }
const valkey = { 'valkey-server': 'echo "Valkey server v=8.1.3 sha=0:0 malloc=libc bits=64"', 'valkey-cli': '' }
const oldRedis = { ...redis, 'redis-server': 'echo "Redis server v=6.0.16 sha=0:0 malloc=libc bits=64"' }

const leaves = (names: string) => `
for name in ${names}; do
  printf '#!/bin/sh\\necho "Redis server v=7.0.15 sha=0:0"\\n' > "$BIN/$name"
  /bin/chmod 755 "$BIN/$name"
done`
const leavesRedis = leaves('redis-server redis-cli')
const leavesPackages = 'printf "#!/bin/sh\\n" > "$BIN/dpkg"; /bin/chmod 755 "$BIN/dpkg"'
const apt = {
  'apt-get': `case "$*" in *redis*) ${leavesRedis};; *faketime*) ${leaves('faketime')};; *postgresql* | *authlib*) ${leavesPackages};; esac`,
}
const faketime = { faketime: '' }
const allOthers = { dpkg: '' }
const both = { ...faketime, ...allOthers }
// As root, the script also writes the policy that no service starts.
const asRoot = { id: 'echo 0', tee: 'cat > /dev/null', chmod: '', rm: '', systemctl: '' }
const asUser = { id: 'echo 1000' }
// This is not really root, so it runs only apt-get.
const sudo = { sudo: 'shift; case "$1" in env) shift 2; "$@";; apt-get) "$@";; esac' }

describe('scripts/setup.sh', () => {
  let machine: Machine
  afterEach(() => machine.remove())

  function setUp(commands: Record<string, string>, ...args: string[]) {
    machine = new Machine(commands)
    const { called, ...rest } = machine.setUp(...args)
    return { ...rest, installing: called.filter((line) => /^(apt-get|brew) /.test(line)) }
  }

  it.each([
    ['Redis', redis],
    ['Valkey', valkey],
  ])('installs nothing where there is %s', (_, server) => {
    expect(setUp({ ...server, ...both, ...apt, ...asRoot })).toMatchObject({ status: 0, installing: [] })
  })

  it.each([
    ['as root', asRoot],
    ['with sudo', { ...asUser, ...sudo }],
  ])('installs Redis with apt %s if there is no server', (_, rights) => {
    expect(setUp({ ...both, ...apt, ...rights })).toMatchObject({
      status: 0,
      installing: ['apt-get update', 'apt-get install -y redis-server'],
    })
  })

  it('installs faketime with apt if it is missing', () => {
    expect(setUp({ ...redis, ...allOthers, ...apt, ...asRoot })).toMatchObject({
      status: 0,
      installing: ['apt-get update', 'apt-get install -y faketime'],
    })
  })

  it('installs the other servers with apt if one of them is missing', () => {
    expect(setUp({ ...redis, ...faketime, ...apt, ...asRoot })).toMatchObject({
      status: 0,
      installing: [
        'apt-get update',
        'apt-get install -y --no-install-recommends postgresql pgbouncer nginx caddy prometheus',
      ],
    })
  })

  it('updates the list of packages once', () => {
    expect(setUp({ ...apt, ...asRoot })).toMatchObject({
      status: 0,
      installing: [
        'apt-get update',
        'apt-get install -y redis-server',
        'apt-get install -y faketime',
        'apt-get install -y --no-install-recommends postgresql pgbouncer nginx caddy prometheus',
      ],
    })
  })

  it.each([
    ['there is no dpkg', {}],
    ['dpkg does not know them', { dpkg: 'exit 1' }],
  ])('installs the Python and Go clients, and nothing else, if it is asked for them and %s', (_, commands) => {
    const packages = 'python3-authlib python3-requests-oauthlib golang-go golang-golang-x-oauth2-dev'
    expect(setUp({ ...commands, ...apt, ...asRoot }, 'clients')).toMatchObject({
      status: 0,
      installing: ['apt-get update', `apt-get install -y --no-install-recommends ${packages}`],
    })
  })

  it.each([
    ['there is no apt', {}],
    ['it may not become root', { ...apt, ...asUser }],
    ['apt fails', { 'apt-get': 'exit 100', ...asRoot }],
  ])('goes on without faketime and the other servers where %s, and says which tests are skipped', (_, commands) => {
    const { status, output } = setUp({ ...redis, ...commands })
    expect(status).toBe(0)
    expect(output).toContain('tests that set the clock of a server are skipped')
    expect(output).toContain(
      'PostgreSQL, PgBouncer, nginx, Caddy and Prometheus are not all installed, so tests with them are skipped',
    )
    expect(setUp({ ...redis, ...commands }, 'clients')).toMatchObject({
      status: 1,
      output: expect.stringContaining('the Python and Go clients are not installed'),
    })
  })

  it('installs nothing when it runs again', () => {
    expect(setUp({ ...apt, ...asRoot }).status).toBe(0)
    const called = (lines: string[]) => lines.filter((line) => line.startsWith('apt-get'))
    const { status, called: inBoth } = machine.setUp()
    expect({ status, calls: called(inBoth).length }).toEqual({ status: 0, calls: 4 })
  })

  it('installs Redis with brew if there is no apt', () => {
    expect(setUp({ brew: leavesRedis })).toMatchObject({ status: 0, installing: ['brew install redis'] })
  })

  it.each([
    ['there is neither apt nor brew', {}, 'neither apt-get nor brew'],
    ['it may not become root', { ...apt, ...asUser }, 'needs root or sudo'],
    ['sudo wants a password', { ...apt, ...asUser, sudo: 'exit 1' }, 'needs root or sudo'],
    ['apt fails', { 'apt-get': 'exit 100', ...asRoot }, 'apt-get failed'],
    ['brew fails', { brew: 'exit 1' }, 'brew could not install redis'],
    ['the server is too old', oldRedis, 'version 6.0.16, which is too old'],
  ])('fails and says what to do where %s', (_, commands, why) => {
    const { status, output } = setUp(commands)
    expect(status).toBe(1)
    expect(output).toContain(why)
    expect(output).toContain('Install Redis 6.2 or later, or Valkey')
  })
})
