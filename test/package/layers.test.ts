import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const src = join(__dirname, '../../src')

// From the top down. The longest name that fits says where a file belongs.
const layers = [
  'index',
  'redis',
  'testing',
  'customer-sign-in',
  'router',
  'endpoints/authorize',
  'endpoints/consent',
  'endpoints/token',
  'endpoints/register',
  'endpoints/revoke',
  'endpoints',
  'resource-server',
  'authorization',
  'tokens/access-tokens',
  'grants',
  'authorization/authorization-request',
  'clients',
  'endpoints/requesting-client',
  'tenants',
  'events/report',
  'service',
  'authorization/consent-tokens',
  'clients/metadata-documents',
  'clients/kept-documents',
  'clients/client-metadata',
  'clients/client-name',
  'grants/swaps',
  'grants/credential-chain',
  'grants/credential',
  'tokens/verified-claims',
  'options',
  'pages',
  'events',
  'tokens/signing-keys',
  'stores',
  'configuration/checks',
  'http',
  'protocol',
  'configuration',
  'collections',
]

const withoutHttp = ['grants', 'tenants', 'tokens', 'stores', 'protocol']

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll('\\', '/').replace(/\.ts$/, ''))

describe('the source', () => {
  it('has a layer for every file', () => {
    expect(files.filter((file) => layerOf(file) === undefined)).toEqual([])
  })

  it('imports only from its own layer and those below, types included', () => {
    const up = files.flatMap((file) =>
      importsOf(file)
        .map((specifier) => ownFile(specifier, file))
        .filter((imported) => imported !== undefined && isAbove(imported, file))
        .map((imported) => `${file} imports ${imported}`),
    )
    expect(up).toEqual([])
  })

  it('keeps HTTP out of all that does not answer requests', () => {
    const outside = files.filter((file) => withoutHttp.some((part) => file.startsWith(`${part}/`)))
    expect(outside.filter((file) => importsOf(file).includes('node:http'))).toEqual([])
  })
})

function layerOf(file: string): string | undefined {
  const [longest] = layers
    .filter((layer) => file === layer || file.startsWith(`${layer}/`))
    .sort((a, b) => b.length - a.length)
  return longest
}

function isAbove(file: string, other: string): boolean {
  return layers.indexOf(layerOf(file) ?? '') < layers.indexOf(layerOf(other) ?? '')
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, `${file}.ts`), 'utf8')
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, specifier = '']) => specifier)
}

/** The file of this library that a relative import names. */
function ownFile(specifier: string, importer: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  const path = posix.join(importer, '..', specifier)
  return files.includes(path) ? path : `${path}/index`
}
