import { spawnSync } from 'node:child_process'
import { commandLine } from '../../src/connect/command-line'

/** The arguments that a shell gives to the program of a command. */
function argumentsIn(shell: string, command: string): string[] {
  const { status, stdout } = spawnSync(shell, ['-c', `tool() { printf '%s\\0' "$@"; }\n${command}`], {
    encoding: 'utf8',
  })
  expect(status).toBe(0)
  return stdout.split('\0').slice(0, -1)
}

const odd = [
  'https://host.example/v1/acme/mcp',
  'https://host.example/~acme/mcp?a=1&b=2;c',
  "it's",
  "'",
  "''$(id)''",
  '"quoted"',
  '$HOME $$ `id` $(id)',
  'back\\slash',
  'a b  c',
  '*?[a-z]{a,b}',
  '!history',
  '#comment',
  '~',
  '~root/x',
  'line\nbreak',
  '|&;<>()',
  'ärger 漢字 🙂',
  '',
  '{"name":"acme","url":"https://host.example/it\'s"}',
]

describe('a command line', () => {
  it.each(['sh', 'bash'])('gives each argument unchanged to the program, in %s', (shell) => {
    expect(argumentsIn(shell, commandLine(['tool', ...odd]))).toEqual(odd)
  })

  it('has no quotes where no shell needs them', () => {
    const words = [
      'claude',
      'mcp',
      'add',
      '--transport',
      'http',
      'acme-air',
      'http://localhost:3000/v1/acme_1.x/mcp%20',
    ]
    expect(commandLine(words)).toBe(words.join(' '))
  })

  it.each(['a~b', 'a=b', 'a,b', 'a@b', 'a?b', 'a+b', ''])(
    'has quotes around %j, which some shell would read otherwise',
    (word) => {
      expect(commandLine([word])).toBe(`'${word}'`)
    },
  )
})
