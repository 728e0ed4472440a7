import { BoundedMap } from '../../src/collections/bounded-map'

/** A map of at most three entries, filled with these keys. */
function mapOf(...keys: string[]): BoundedMap<string, string> {
  const map = new BoundedMap<string, string>(3)
  for (const key of keys) map.set(key, `value of ${key}`)
  return map
}

/** The keys that the map still has. Asking changes which entry makes room next. */
const keptBy = (map: BoundedMap<string, string>, ...keys: string[]) => keys.filter((key) => map.get(key) !== undefined)

describe('a bounded map', () => {
  it('gives what was put in', () => {
    const map = mapOf('a', 'b', 'c')
    expect(map.get('b')).toBe('value of b')
    expect(map.get('d')).toBeUndefined()
    expect(map.size).toBe(3)
  })

  it('drops the entry that was used longest ago to make room', () => {
    const map = mapOf('a', 'b', 'c', 'd')
    expect(keptBy(map, 'a', 'b', 'c', 'd')).toEqual(['b', 'c', 'd'])
    map.get('b')
    map.set('e', 'value of e')
    expect(keptBy(map, 'b', 'c', 'd', 'e')).toEqual(['b', 'd', 'e'])
  })

  it('keeps one entry for a key that is put in again, and drops that entry last', () => {
    const map = mapOf('a', 'b', 'c', 'a')
    expect(map.size).toBe(3)
    map.set('d', 'value of d')
    expect(keptBy(map, 'a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd'])
  })

  it('never grows beyond its size', () => {
    const map = new BoundedMap<number, number>(100)
    for (let key = 0; key < 10_000; key++) {
      map.set(key, key)
      expect(map.size).toBeLessThanOrEqual(100)
    }
    expect(map.get(9_900)).toBe(9_900)
  })
})
