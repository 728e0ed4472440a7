import { join } from 'node:path'
import { type Part, root } from './part'

const program = `node-${process.platform}-${process.arch}`

/** The same part with another version of Node, which comes from npm. */
export function onNode(version: string, { commands, env, ...part }: Part): Part {
  const folder = join(root, `reports/node-${version}`)
  const PATH = `${join(folder, 'node_modules', program, 'bin')}:${process.env.PATH}`
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--silent']
  return {
    ...part,
    commands: [
      ['npm', 'install', '--prefix', folder, ...quiet, `${program}@${version}`],
      ['node', '--version'],
      ...commands,
    ],
    env: { ...env, PATH },
  }
}
