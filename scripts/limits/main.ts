import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { figuresOf } from './figures'

// Prints each figure with its limit. Fails if one is above its limit or has none, and if a limit has no figure.
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { limits: { type: 'string', default: 'limits.json' }, report: { type: 'string' } },
  })
  const { limits }: { limits: Record<string, number> } = JSON.parse(readFileSync(values.limits, 'utf8'))
  const figures = await figuresOf(values.report)
  print('', 'today', 'limit')
  for (const name of new Set([...Object.keys(figures), ...Object.keys(limits)])) {
    const { [name]: figure = 'none' } = figures
    const { [name]: limit = 'none' } = limits
    print(name, figure, limit)
    const isUnmeasured = name === 'seconds of npm test' && values.report === undefined
    if (Number(figure) <= Number(limit) || isUnmeasured) continue
    process.stderr.write(`limits.json: ${name}: today ${figure}, limit ${limit}\n`)
    process.exitCode = 1
  }
}

function print(name: string, ...cells: unknown[]): void {
  process.stdout.write(`${name.padEnd(48)}${cells.map((cell) => `${cell}`.padStart(8)).join('')}\n`)
}

void main()
