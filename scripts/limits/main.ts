import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { circlesAndFloors, definition } from './circles'
import { type Figures, figuresOfBuild, figuresOfSources } from './figures'

// Prints each promise with its limit, and each trend with what was recorded last. Fails for a promise above its limit, for a figure that
// limits.json does not name, and for a name there without a figure. With --record it writes the trends of today there. With --package it
// counts a tarball, and with --sources it measures nothing on the build.
async function main(): Promise<void> {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const
  const limits = { ...text, default: 'limits.json' }
  const { values } = parseArgs({ options: { limits, report: text, package: text, record: flag, sources: flag } })
  const before = readFileSync(values.limits, 'utf8')
  const { promises, trends }: Record<'promises' | 'trends', Figures> = JSON.parse(before)
  const figures = {
    ...figuresOfSources(values.report),
    ...(values.sources ? {} : await figuresOfBuild(values.package)),
  }

  print('promises', 'today', 'limit')
  for (const [name, limit] of Object.entries(promises)) {
    const { [name]: figure = 'none' } = figures
    print(name, figure, limit, Number(figure) < limit ? 'below' : '')
    if (!(Number(figure) <= limit)) fail(name, figure, limit)
  }
  print('\ntrends', 'today', 'last', 'change')
  for (const [name, last] of Object.entries(trends)) {
    const { [name]: figure = 'none' } = figures
    const change = Number(figure) - last
    print(name, figure, last, `${change > 0 ? '+' : ''}${change || ''}`)
    if (figure === 'none' && name !== 'seconds of npm test') fail(name, figure, last)
  }
  for (const [name, figure] of Object.entries(figures))
    if (!(name in promises || name in trends)) fail(name, figure, 'none')

  const circles = circlesAndFloors().circles.map((circle) => `  ${circle}\n`)
  process.stdout.write(`\n${definition}\nCircles:\n${circles.join('')}`)

  if (!values.record) return
  const today = Object.entries(trends).map(([name, last]) => [name, figures[name] ?? last])
  const written = JSON.stringify(Object.fromEntries(today), null, 2).replaceAll('\n', '\n  ')
  writeFileSync(values.limits, before.replace(/(?<="trends": )\{[^}]*\}/, written))
}

function print(name: string, ...cells: unknown[]): void {
  const line = [name.padEnd(50), ...cells.map((cell) => `${cell}`.padStart(8))].join('')
  process.stdout.write(`${line.trimEnd()}\n`)
}

function fail(name: string, ...[figure, limit]: unknown[]): void {
  process.stderr.write(`limits.json: ${name}: today ${figure}, limit ${limit}\n`)
  process.exitCode = 1
}

void main()
