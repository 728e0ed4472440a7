// Rolls the declarations of dist up into one file for each entry point of package.json. What several entry points declare is in one more file
// that they import, so that a class of theirs is the same class everywhere. All other declarations are removed.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const entries = Object.values(exports).flatMap(({ types }) => types ?? [])

// What is exported of other packages are types, which the plugin cannot know.
const typesOfOthers = {
  name: 'types-of-others',
  renderChunk: (code) => code.replace(/^export (\{[^}]*\} from '[^.'])/gm, 'export type $1'),
}

const bundle = await rollup({
  input: Object.fromEntries(entries.map((file) => [nameOf(relative(dist, join(root, file))), join(root, file)])),
  plugins: [dts(), typesOfOthers],
  external: /^[^./]/,
  onwarn: (warning) => {
    throw new Error(warning.message)
  },
})
for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.d.ts')) rmSync(join(dist, file))
}
await bundle.write({
  dir: dist,
  hoistTransitiveImports: false,
  minifyInternalExports: false,
  entryFileNames: '[name].d.ts',
  chunkFileNames: ({ name }) => `shared/${nameOf(name)}.d.ts`,
})

function nameOf(file) {
  return file.replace(/\.d(\.ts)?$/, '')
}
