import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(__dirname, '..', '..')

/** Whether `dist` is what `npm run build` makes of the sources as they are: `npm run prepack` leaves fewer declarations there. */
export function isBuilt(): boolean {
  const timeOf = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const built = (source: string) => join('dist', source.replace(/\.ts$/, '.d.ts'))
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .every((source) => timeOf(built(source)) > timeOf(join('src', source)))
}
