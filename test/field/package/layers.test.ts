import { importedBy } from '../../../scripts/limits/circles'
import {
  arrowsUp,
  files,
  importsOf,
  isIn,
  layerOf,
  ownImportsOf,
  places,
  withoutHttp,
} from '../../../scripts/limits/house'

// The layers, and what stands beside them, are listed in limits.json.
describe('the source', () => {
  it('has one place for every file: in a layer, or beside the house', () => {
    expect(files.filter((file) => layerOf(file) === undefined)).toEqual([])
    expect(places).toEqual([...new Set(places)])
  })

  it('has no place without files', () => {
    const empty = [...places, ...withoutHttp].filter((place) => !files.some((file) => isIn(place, file)))
    expect(empty).toEqual([])
  })

  it('imports only from the same layer and those below, and what stands beside only at the top, types included', () => {
    expect(arrowsUp()).toEqual([])
  })

  it('has no circular imports', () => {
    const imports = new Map(files.map((file) => [file, ownImportsOf(file)]))
    expect(files.filter((file) => importedBy(file, imports).has(file))).toEqual([])
  })

  it('lets the doctor see a server only from the outside', () => {
    const doctor = files.filter((file) => isIn('doctor', file))
    const others = doctor.flatMap((file) => importsOf(file).filter((specifier) => !/^(\.|node:)/.test(specifier)))
    const own = doctor
      .flatMap(ownImportsOf)
      .filter((imported) => !isIn('doctor', imported) && !isIn('protocol', imported))
    expect([...others, ...own]).toEqual(['commands/wrong-use'])
  })

  it('keeps HTTP out of the rooms, and out of the files below them that do not use it', () => {
    const outside = files.filter((file) => withoutHttp.some((place) => isIn(place, file)))
    expect(outside.filter((file) => importsOf(file).includes('node:http'))).toEqual([])
  })
})
