import { commandLine } from '../../../src/connect/connect'

const words = ['claude', 'mcp', 'add', '--transport', 'http', 'acme-air', 'http://localhost:3000/v1/acme_1.x/mcp']

describe('a command line', () => {
  it('is the words, where no shell reads one of them as something else', () => {
    expect(commandLine(words)).toBe(words.join(' '))
  })

  it.each([
    ...['~', '=', ',', '@', '?', '+', '%', '$', '&', '|', ';', '<', '>', '(', ')', '{', '}', '[', ']', '*', '!', '#'],
    ...['^', '`', "'", '"', '\u2019', '\\', ' ', '\t', '\n', '\r', 'ä', '漢', '\u{1F642}'],
  ])('is none if a word has %j, which some shell could read as something else', (character) => {
    expect(commandLine([...words, `a${character}b`])).toBeUndefined()
    expect(commandLine([`${character}a`, ...words])).toBeUndefined()
    expect(commandLine([...words, `https://host.example/mcp${character}`])).toBeUndefined()
  })

  it('is none if a word is empty', () => {
    expect(commandLine([...words, ''])).toBeUndefined()
  })
})
