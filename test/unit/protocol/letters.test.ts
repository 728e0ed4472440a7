import { mixesLetters } from '../../../src/protocol/letters'

describe('the letters of a name', () => {
  it.each([
    ['Cyrillic in Latin', 'Сlаude'],
    ['Greek in Latin', 'Clαude'],
    ['Latin in Cyrillic', 'Клaуд'],
    ['Armenian in Latin', 'Օpen'],
    ['Cherokee in Latin', 'ᏟLAUDE'],
    ['one word of several', 'Travel Сlаude'],
    ['a script of few letters', 'Claude\u1d00\ua4d0'],
  ])('are mixed where a word has %s', (_, name) => {
    expect(mixesLetters(name)).toBe(true)
  })

  it.each([
    'Claude',
    'Клауд',
    'Клауд AI',
    'Κλωντ 2',
    '旅行アシスタント',
    'コーヒー',
    'AI旅行',
    '여행도우미AI',
    'مساعد AI',
    'Café',
    'שלום',
    '',
  ])('are not mixed in %s', (name) => {
    expect(mixesLetters(name)).toBe(false)
  })
})
