import { BoundedMap } from '../../../src/collections/bounded-map'

/** A map of at most four entries, filled with these keys. */
function mapOf(...keys: string[]): BoundedMap<string, string> {
  const map = new BoundedMap<string, string>(4)
  for (const key of keys) map.set(key, `value of ${key}`)
  return map
}

/** The keys that the map still has. */
const keptBy = (map: BoundedMap<string, string>, ...keys: string[]) => keys.filter((key) => map.get(key) !== undefined)

describe('a bounded map', () => {
  it('returns what was put in', () => {
    const map = mapOf('a', 'b', 'c', 'd')
    expect(map.size).toBe(4)
    expect(map.get('b')).toBe('value of b')
    expect(map.get('e')).toBeUndefined()
  })

  it('drops entries that were not used for long to make room', () => {
    expect(keptBy(mapOf('a', 'b', 'c', 'd', 'e'), 'a', 'b')).toEqual([])
    expect(keptBy(mapOf('a', 'b', 'c', 'd', 'e'), 'c', 'd', 'e')).toEqual(['c', 'd', 'e'])
  })

  it('keeps an entry that is used', () => {
    const map = mapOf('a', 'b', 'c')
    for (const key of ['d', 'e', 'f', 'g', 'h']) {
      expect(map.get('a')).toBe('value of a')
      map.set(key, `value of ${key}`)
    }
    expect(keptBy(map, 'b', 'c', 'd')).toEqual([])
  })

  it('has one entry for a key that is put in again, with the newest value', () => {
    const map = mapOf('a', 'b', 'c', 'a')
    expect(map.size).toBe(3)
    map.set('a', 'another value')
    expect(map.get('a')).toBe('another value')
    expect(map.size).toBe(3)
  })

  it('never grows beyond its size', () => {
    const map = new BoundedMap<number, number>(100)
    for (let key = 0; key < 10_000; key++) {
      map.set(key, key)
      expect(map.size).toBeLessThanOrEqual(100)
      expect(map.get(Math.max(0, key - 10))).toBe(Math.max(0, key - 10))
    }
  })
})
