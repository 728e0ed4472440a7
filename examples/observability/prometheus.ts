import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port'
import { pathOf } from '../../scripts/redis-process'

/** There is no Prometheus on the PATH, or it ended. */
export class NoPrometheusError extends Error {}

/** A rule that Prometheus evaluates: an alert of `alerts.yml`. */
export interface Rule {
  name: string
  query: string
  state: 'inactive' | 'pending' | 'firing'
  health: string
  lastError?: string
}

/** A Prometheus server on this machine that reads one page of metrics each second, with the alerts of the example. */
export class Prometheus {
  readonly url: string
  readonly #process: ChildProcess
  readonly #folder: string
  #output = ''

  private constructor(child: ChildProcess, port: number, folder: string) {
    this.url = `http://127.0.0.1:${port}`
    this.#process = child
    this.#folder = folder
    child.stderr?.on('data', (chunk) => {
      this.#output = (this.#output + chunk).slice(-4000)
    })
  }

  /** @param metricsPort The port of the page of metrics. @throws {NoPrometheusError} */
  static async start(metricsPort: number): Promise<Prometheus> {
    const program = pathOf('prometheus')
    if (program === undefined) throw new NoPrometheusError('There is no prometheus: "npm run setup" installs it')
    const folder = mkdtempSync(join(tmpdir(), 'prometheus-'))
    copyFileSync(join(__dirname, 'alerts.yml'), join(folder, 'alerts.yml'))
    writeFileSync(join(folder, 'prometheus.yml'), configuration(metricsPort))
    const port = await freePort()
    const child = spawn(
      program,
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const prometheus = new Prometheus(child, port, folder)
    process.once('exit', () => child.kill('SIGKILL'))
    await prometheus.#isReady()
    return prometheus
  }

  /** What a query gives: one entry for each series. */
  async query(promql: string): Promise<{ value: [time: number, value: string] }[]> {
    const { result } = await this.#get<{ result: { value: [number, string] }[] }>(
      `query?${new URLSearchParams({ query: promql })}`,
    )
    return result
  }

  async alerts(): Promise<Rule[]> {
    const { groups } = await this.#get<{ groups: { rules: Rule[] }[] }>('rules')
    return groups.flatMap(({ rules }) => rules)
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, 'exit')
      this.#process.kill('SIGKILL')
      await ended
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #isReady(): Promise<void> {
    while (
      !(await fetch(`${this.url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (this.#process.exitCode !== null) throw new NoPrometheusError(`Prometheus has ended:\n${this.#output}`)
      await setTimeout(50)
    }
  }

  async #get<Data>(path: string): Promise<Data> {
    const response = await fetch(`${this.url}/api/v1/${path}`)
    const { data, error } = (await response.json()) as { data: Data; error?: string }
    if (!response.ok) throw new Error(`Prometheus refuses ${decodeURIComponent(path)}: ${error}`)
    return data
  }
}

function configuration(metricsPort: number): string {
  return `\
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [alerts.yml]
scrape_configs:
  - job_name: sign-in
    static_configs: [{ targets: ['127.0.0.1:${metricsPort}'] }]
`
}
