import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isUrl } from '../../../src/protocol/resource'

describe('whether a text is a URL', () => {
  it('is said alike of letters such as ü, however often it is asked', () => {
    const answers = Array.from({ length: 20_000 }, (_, index) =>
      isUrl(index % 2 === 0 ? 'https://acme.example/' : 'https://bücher.example/für'),
    )
    expect(answers).not.toContain(false)
  })

  it.each([
    ['https://日本.example/', undefined, true],
    ['/für', 'https://bücher.example', true],
    ['/für', undefined, false],
    ['https://b ü.example', undefined, false],
    ['', undefined, false],
  ])('is what URL says: %j, %j', (text, base, expected) => {
    expect(isUrl(text, base)).toBe(expected)
  })

  it('is asked nowhere else', () => {
    const src = join(__dirname, '../../../src')
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
    const askers = files.filter((file) => readFileSync(join(src, file), 'utf8').includes('URL.canParse('))
    expect(askers).toEqual([join('protocol', 'resource.ts')])
  })
})
