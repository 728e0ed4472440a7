import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createHost } from './host'
import { documentServer, Load } from './load'
import { NoPrometheusError, Prometheus } from './prometheus'
import { startTelemetry, type Telemetry } from './telemetry'

interface Panel {
  title: string
  targets: { expr: string }[]
}

interface Query {
  title: string
  promql: string
}

/**
 * Starts a host with OpenTelemetry, a load, and a Prometheus that reads the host's metrics. Shows what each panel of the dashboard and each
 * alert says, and keeps running. With `--once` it ends as soon as all of them have something to say.
 */
async function main(): Promise<void> {
  const telemetry = startTelemetry()
  const [server, client] = [await listen(createServer()), await listen(documentServer())]
  const metrics = await listen(telemetry.metricsPage)
  const host = createHost(originOf(server))
  server.on('request', host.app)
  const load = new Load(originOf(server), host, `${originOf(client)}/client.json`)
  const prometheus = await Prometheus.start(portOf(metrics))
  const stop = async () => {
    telemetry.stop()
    await prometheus.stop()
    for (const each of [server, client, metrics]) each.close().closeAllConnections()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stop().finally(() => process.exit()))
  }

  try {
    await showTrace(telemetry, load)
    await showDashboard(prometheus, load)
    await showAlerts(prometheus, load)
    print('\nEvery step went as it should.')
    if (process.argv.includes('--once')) return await stop()
    print(`The load goes on until you press Ctrl+C. Prometheus: ${prometheus.url}/alerts`)
    print('In Grafana, add it as a data source, and import examples/observability/dashboard.json.')
    for (;;) await load.round()
  } catch (surprise) {
    await stop()
    throw surprise
  }
}

async function showTrace({ spans }: Telemetry, load: Load): Promise<void> {
  print('1. The spans of a refresh\n')
  const tokens = await load.signIn()
  spans.reset()
  await load.refresh(tokens)
  await until(() => spans.getFinishedSpans().some(({ parentSpanContext }) => parentSpanContext === undefined))
  for (const { name, duration, parentSpanContext } of spans.getFinishedSpans().toReversed()) {
    const milliseconds = duration[0] * 1000 + duration[1] / 1e6
    print(`   ${parentSpanContext ? '  ' : ''}${name}  ${milliseconds.toFixed(1)} ms`)
  }
}

async function showDashboard(prometheus: Prometheus, load: Load): Promise<void> {
  print('\n2. The dashboard\n')
  for (const { title, promql } of queriesOfDashboard()) {
    const hasData = async () => (await prometheus.query(promql)).some(({ value: [, value] }) => Number.isFinite(+value))
    await until(hasData, () => load.round())
    print(`   ${title}: ${(await prometheus.query(promql)).length} series`)
  }
}

async function showAlerts(prometheus: Prometheus, load: Load): Promise<void> {
  print('\n3. The alerts, in a bad hour\n')
  const rules = async () => {
    const alerts = await prometheus.alerts()
    const faulty = alerts.find(({ health }) => health === 'err')
    if (faulty) throw new Error(`${faulty.name}: ${faulty.lastError}`)
    return alerts
  }
  await until(
    async () => (await rules()).every(({ state }) => state !== 'inactive'),
    () => load.round(),
    async () => (await rules()).map(({ name, state }) => `${name} is ${state}`).join(', '),
  )
  for (const { name, state } of await rules()) print(`   ${name}: ${state}`)
}

/** What Grafana would ask Prometheus for each panel. */
export function queriesOfDashboard(): Query[] {
  const { panels } = JSON.parse(readFileSync(join(__dirname, 'dashboard.json'), 'utf8')) as { panels: Panel[] }
  return panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({
      title,
      promql: expr.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1h'),
    })),
  )
}

/** Waits for something, and meanwhile does something. */
async function until(
  isSo: () => boolean | Promise<boolean>,
  meanwhile: () => Promise<void> = () => setTimeout(20),
  found: () => unknown = () => '',
): Promise<void> {
  const end = performance.now() + 120_000
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`It did not happen in time. ${await found()}`)
    await meanwhile()
  }
}

async function listen(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${portOf(server)}`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

main().catch((surprise) => {
  const why = surprise instanceof NoPrometheusError ? surprise.message : `That was not expected: ${surprise.stack}`
  process.stderr.write(`\n${why}\n`)
  process.exitCode = 1
})
