import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import request from 'supertest'
import { parseAllDocuments } from 'yaml'
import { isPublic } from '../../../src/documents/addresses'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'
import { eventually } from '../../support/redis-server'
import { clientId, formBody, redirectUri } from '../../support/sign-in'
import { blockUnder, root, snippetWith, textOf } from '../pages'
import { SnippetProcess } from './snippet-process'

const page = 'docs/kubernetes.md'
const { code } = snippetWith('const { BASE_URL, SIGN_IN_DATABASE_URL', [page])

// What is the reader's own is in another file.
const host = code.replace(/^import .* from '.\/app'$/m, '')

/** All objects of the page's YAML, by their kinds. The last ConfigMap is that of staging. */
const objects = [...textOf(page).matchAll(/^```yaml\n(.*?)^```$/gms)].flatMap(([, text = '']) =>
  parseAllDocuments(text).map((document) => {
    expect([document.errors, document.warnings]).toEqual([[], []])
    return document.toJS()
  }),
)
const object = (kind: string) => objects.find((each) => each.kind === kind)
const pod = object('Deployment').spec.template.spec
const [container] = pod.containers

describe('the manifests of docs/kubernetes.md', () => {
  it('are objects of Kubernetes, each with a name', () => {
    expect(objects.map(({ kind }) => kind)).toEqual([
      'Job',
      'ConfigMap',
      'Deployment',
      'Service',
      'PodDisruptionBudget',
      'Ingress',
      'HTTPRoute',
      'NetworkPolicy',
    ])
    for (const { apiVersion, metadata } of objects)
      expect([apiVersion, metadata.name]).toEqual([
        expect.stringMatching(/^([a-z0-9.-]+\/)?v1$/),
        expect.stringMatching(/./),
      ])
  })

  it('set the environment variables that the host reads, and no others', () => {
    const [, read = ''] = /^const \{ (.+) \} = process\.env$/m.exec(host) ?? []
    const set = [...container.env.map(({ name }: { name: string }) => name), ...Object.keys(object('ConfigMap').data)]
    expect(set.sort()).toEqual([...read.split(', '), 'NODE_ENV'].sort())
    expect(container.envFrom).toEqual([{ configMapRef: { name: object('ConfigMap').metadata.name } }])
  })

  it('agree on the port, from the Service to the process', () => {
    const [port] = container.ports
    expect(settingOf('PORT')).toBe(String(port.containerPort))
    const [served] = object('Service').spec.ports
    expect(served.targetPort).toBe(port.name)
    expect([container.livenessProbe.httpGet.port, container.readinessProbe.httpGet.port]).toEqual([
      port.name,
      port.name,
    ])
    for (const { backend } of object('Ingress').spec.rules[0].http.paths)
      expect(backend.service).toEqual({ name: object('Service').metadata.name, port: { name: served.name } })
    const { backendRefs } = object('HTTPRoute').spec.rules[0]
    expect(backendRefs).toEqual([{ name: object('Service').metadata.name, port: served.port }])
    expect(object('NetworkPolicy').spec.ingress[0].ports).toEqual([{ port: port.name, protocol: 'TCP' }])
  })

  it('select the pods', () => {
    const { labels } = object('Deployment').spec.template.metadata
    expect(object('Service').spec.selector).toEqual(labels)
    for (const { spec } of [object('Deployment'), object('PodDisruptionBudget')])
      expect(spec.selector.matchLabels).toEqual(labels)
    expect(object('NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels)
  })

  it('mount the keys where the host reads them, under the names that the commands give them', () => {
    const [mount] = container.volumeMounts
    expect(mount.mountPath).toBe(settingOf('KEYS_FOLDER'))
    const [volume] = pod.volumes
    expect(volume.name).toBe(mount.name)
    const created = /kubectl create secret generic (\S+) --from-file=(\S+) --from-file=(\S+) /.exec(textOf(page))
    expect(created?.slice(1)).toEqual([volume.secret.secretName, 'signing-key.pem', 'credential-secret'])
    for (const name of created?.slice(2) ?? []) expect(host).toContain(`\${KEYS_FOLDER}/${name}`)
  })

  it('leave a process the time that it takes to end', () => {
    const [, seconds = ''] = /closeAllConnections\(\), (\d+)_000\)/.exec(host) ?? []
    const needed = container.lifecycle.preStop.sleep.seconds + Number(seconds)
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(needed)
  })

  it('lead the same paths to the host, by Ingress and by Gateway', () => {
    const paths = object('Ingress').spec.rules[0].http.paths.map(({ path }: { path: string }) => path)
    const matched = object('HTTPRoute').spec.rules[0].matches.map(({ path }: { path: { value: string } }) => path.value)
    expect(matched).toEqual(paths)
    expect(paths).toEqual(expect.arrayContaining(['/.well-known/oauth-authorization-server', '/v1']))
    const { hostname } = new URL(object('ConfigMap').data.BASE_URL)
    expect([object('Ingress').spec.rules[0].host, ...object('HTTPRoute').spec.hostnames]).toEqual([hostname, hostname])
  })

  it('let no process connect to an address that the library refuses', () => {
    const blocks = object('NetworkPolicy').spec.egress.flatMap(({ to }: { to: { ipBlock?: object }[] }) =>
      to.flatMap(({ ipBlock }) => ipBlock ?? []),
    )
    const excepted = blocks.flatMap(({ except }: { except: string[] }) => except)
    expect(excepted.length).toBeGreaterThan(10)
    for (const network of excepted)
      expect({ network, isPublic: isPublic(network.split('/')[0]) }).toEqual({ network, isPublic: false })
    expect(excepted).toEqual(
      expect.arrayContaining(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16']),
    )
  })
})

// What readers have already: a company, and customers who are logged in.
const before = `
const tenantStore = { findTenant: (key) => key === 'acme' && { key, id: '1', clients: [{ clientId: '${clientId}', redirectUris: ['${redirectUri}'] }] } }
const authenticate = () => ({ subject: 'ada' })
const log = { info() {}, error() {} }
`
const after = `
app.post('/codes', express.json(), async (req, res) => res.json(await signIn.issueAuthorizationCode(req.body)))
server.once('listening', () => process.send('http://127.0.0.1:' + server.address().port))
`

describeWithPostgres('the host of docs/kubernetes.md', () => {
  let database: PostgresServer
  let folder: string
  let mounted: string
  let running: SnippetProcess
  beforeEach(async () => {
    database = await PostgresServer.start()
    await database.query('create role sign_in login')
    installTables(database.url)
    folder = mkdtempSync(join(tmpdir(), 'keys-'))
    mounted = join(folder, 'mounted')
    mkdirSync(mounted)
    run(blockUnder('## Keys and secrets', page).code)
    const environment = {
      ...object('ConfigMap').data,
      NODE_ENV: 'production',
      SIGN_IN_DATABASE_URL: database.url.replace(/\/\/\w+/, '//sign_in'),
      KEYS_FOLDER: mounted,
      PORT: '0',
    }
    // A test cannot wait as long as Kubernetes can, and nothing is to be cut.
    const inTest = host.replace('10_000', '50').replace('20_000', '600_000')
    running = await SnippetProcess.start(before + inTest + after, environment)
  })
  afterEach(async () => {
    await running.stop()
    await database.stop()
    rmSync(folder, { recursive: true })
  })

  /** Runs commands of the page, with a `kubectl` whose cluster is a folder. */
  function run(commands: string): void {
    const path = `${join(__dirname, 'commands')}:${process.env.PATH}`
    const env = { ...process.env, PATH: path, MOUNTED: mounted, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') }
    execFileSync('bash', ['-euo', 'pipefail', '-c', commands], {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  }

  it('has tables that the Job can install again, for the next version', async () => {
    installTables(database.url)
    const [installed] = await database.query('select count(*)::int as versions from customer_sign_in.schema_version')
    expect(installed).toEqual({ versions: 1 })
    const [command] = object('Job').spec.template.spec.containers
    expect([command.command, command.env[0].name]).toEqual([['node', 'install-tables.mjs'], 'OWNER_DATABASE_URL'])
  })

  const get = (path: string) => request(running.url).get(path)
  const publishedKeys = async () =>
    (await get('/v1/acme/oauth/jwks').expect(200)).body.keys.map(({ kid }: { kid: string }) => kid)

  it('is alive and ready with its store, and stays so while the store is down', async () => {
    await get(container.livenessProbe.httpGet.path).expect(200)
    await eventually(async () => (await get(container.readinessProbe.httpGet.path)).status === 200)
    await database.kill()
    await get(container.livenessProbe.httpGet.path).expect(200)
    const { body } = await get(container.readinessProbe.httpGet.path).expect(200)
    expect(body).toMatchObject({ ready: true, ok: false, problems: [{ part: 'tokenStore' }] })
  })

  it('answers what has begun after SIGTERM, accepts nothing new, and ends by itself', async () => {
    const socket = connect(Number(new URL(running.url).port), '127.0.0.1')
    await once(socket, 'connect')
    const body = formBody({ grant_type: 'refresh_token', client_id: clientId, refresh_token: `csir_${'x'.repeat(84)}` })
    const head = ['POST /v1/acme/oauth/token HTTP/1.1', 'Host: assistant.example', `Content-Length: ${body.length}`]
    socket.write(
      [...head, 'Content-Type: application/x-www-form-urlencoded', 'Expect: 100-continue', '', ''].join('\r\n'),
    )
    // The host has read the request's head as soon as it asks for the body.
    await once(socket, 'data')
    running.signal('SIGTERM')
    await eventually(() => refuses(running.url))
    const answer = readAll(socket)
    socket.write(body)
    expect(await answer).toMatch(/^HTTP\/1.1 400[\s\S]+invalid_grant/)
    expect(await running.ended()).toEqual({ code: 0, signal: null })
  })

  it('follows the files through the steps of a rotation, without a restart', async () => {
    const [first] = await publishedKeys()
    const steps = blockUnder('## Rotating keys', page).code.split(/^# Step \d.*$/m)
    const [preparing = '', one = '', two = '', three = ''] = steps
    const [, replaceKeys = ''] = /^(replace_keys\(\) \{$[\s\S]+?^\}$)/m.exec(preparing) ?? []
    run(preparing)
    // They hold production's keys.
    for (const file of ['old.pem', 'credential-secret']) expect(statSync(join(folder, file)).mode & 0o077).toBe(0)
    run(replaceKeys + one)
    await eventually(async () => (await publishedKeys()).length === 2)
    const second = (await publishedKeys()).find((kid: string) => kid !== first)
    expect(await signs()).toBe(first)
    run(replaceKeys + two)
    await eventually(async () => (await publishedKeys())[0] === second)
    expect(await signs()).toBe(second)
    run(replaceKeys + three)
    await eventually(async () => (await publishedKeys()).length === 1)
    expect(await publishedKeys()).toEqual([second])
  })

  /** Which key signs new access tokens. */
  async function signs(): Promise<string> {
    const { body } = await get('/ready')
    return body.keys.signing
  }
})

/** What the Job runs. */
function installTables(url: string): void {
  const env = { PATH: process.env.PATH, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json'), OWNER_DATABASE_URL: url }
  execFileSync(process.execPath, ['--import', 'tsx', 'examples/kubernetes/install-tables.mjs'], { cwd: root, env })
}

function settingOf(variable: string): string | undefined {
  return container.env.find(({ name }: { name: string }) => name === variable)?.value
}

async function refuses(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  try {
    await once(socket, 'connect')
    return false
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}

async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
