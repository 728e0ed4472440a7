import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import request from 'supertest'
import { parse } from 'yaml'
import { common, own } from '../../src/opentelemetry/attributes'
import { ApiHost } from '../support/api-host'
import { Authorization, asTheySay } from '../support/authorization'
import { Heard } from '../support/channels'
import { DocumentServer } from '../support/document-server'
import { OpenTelemetry } from '../support/open-telemetry'
import { allTablesUnder, root, tableUnder, textOf } from './pages'

const page = 'docs/observability.md'

const codesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

describe('the tables of docs/observability.md', () => {
  it('have every channel, as the source names it', () => {
    const [channels = []] = allTablesUnder('## Channels', page)
    const named = channels.map(([name]) => codesIn(name)[0])
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    )
    const used = sources.flatMap((name) => [
      ...readFileSync(join(root, 'src', name), 'utf8').matchAll(/'(customer-sign-in:\w+)'/g),
    ])
    expect(named.sort()).toEqual([...new Set(used.map(([, name]) => name))].sort())
  })

  it('have every attribute of the spans', () => {
    const [, attributes = []] = allTablesUnder('## Spans', page)
    const { eventType: _, ...ofSpans } = own
    expect(attributes.flatMap(([names]) => codesIn(names)).sort()).toEqual(
      [...Object.values(common), ...Object.values(ofSpans)].sort(),
    )
  })

  it('have every span and metric that there is, and every attribute of a metric', async () => {
    const telemetry = await OpenTelemetry.start({ tenantLabel: (key) => key })
    const server = await DocumentServer.start()
    const host = (await ApiHost.start({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })).protect()
    const heard = Heard.start()
    await host.token()
    await request(host.baseUrl).get('/v1/acme/mcp').set('Authorization', 'Bearer none').expect(401)
    await new Authorization({ url: host.baseUrl }, { client_id: server.url() }).open().expect(200)
    await new Authorization({ url: host.baseUrl }, { client_id: `${server.origin}:1/` }).open()
    await new Authorization({ url: host.baseUrl }, { client_id: 'https://10.0.0.1/x' }).open()
    await heard.of('request', 4)

    const patterns = tableUnder('## Spans', page).flatMap(([spans]) =>
      codesIn(spans).map((name) => new RegExp(`^${name.replace(/\{\w+\}/g, '\\S+')}$`)),
    )
    const unknown = telemetry.spans.filter(({ name }) => !patterns.some((pattern) => pattern.test(name)))
    expect(unknown.map(({ name }) => name)).toEqual([])

    const lines = (await telemetry.metrics()).map((line) => line.replace(/_(bucket|sum|count|total)(?=[{ ])/, ''))
    const found = new Map<string, Set<string>>()
    for (const line of lines) {
      const [, name = '', labels = ''] = /^(\w+)\{?(.*)\}? /.exec(line) ?? []
      const known = found.get(name) ?? new Set()
      for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) if (label !== 'le') known.add(label)
      found.set(name, known)
    }
    const documented = tableUnder('## Metrics', page).map(([metric, , attributes]): [string, Set<string>] => [
      underscored(codesIn(metric)[0]),
      new Set(codesIn(attributes).map(underscored)),
    ])
    expect([...found.keys()].sort()).toEqual(documented.map(([name]) => name).sort())
    for (const [name, attributes] of documented) {
      const undocumented = [...(found.get(name) ?? [])].filter((label) => !attributes.has(label))
      expect([name, undocumented]).toEqual([name, []])
    }
  })

  it('have every alert', () => {
    const { groups } = parse(textOf('examples/observability/alerts.yml'))
    const alerts = groups.flatMap(({ rules }: { rules: { alert: string }[] }) => rules.map(({ alert }) => alert))
    expect(tableUnder('## A dashboard and alerts', page).map(([alert]) => codesIn(alert)[0])).toEqual(alerts)
  })
})

function underscored(name = ''): string {
  return name.replaceAll('.', '_')
}
