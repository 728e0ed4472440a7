import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from '@swc/core'
import { blockUnder } from '../../docs/pages'
import { describeWith } from '../../support/describe-with'
import { mountings } from '../hosts/mountings'
import { type Lacking, servesCustomers } from '../hosts/serves-customers'
import { FrameworkHost, type HostCode } from './framework-host'

const page = 'docs/hosts.md'
const packages = join(__dirname, 'node_modules')
const harness = join(__dirname, 'harness')
const withPackages = describeWith('test/field/frameworks/node_modules', existsSync(packages))

/** What a reader's app has besides the snippet: `GET /` and `POST /echo`. */
const ownPages = {
  express: `import { json } from 'express'
    app.get('/', (req, res) => res.send('a page of the host'))
    app.post('/echo', json(), (req, res) => res.json(req.body))`,
  connect: `app.use((req, res) => (req.url === '/echo' ? req.pipe(res) : res.end('a page of the host')))`,
  fastify: `app.get('/', () => 'a page of the host')
    app.post('/echo', (request) => request.body)`,
  hono: `app.get('/', (c) => c.text('a page of the host'))
    app.post('/echo', async (c) => c.json(await c.req.json()))`,
  koa: `router.get('/', (ctx) => { ctx.body = 'a page of the host' })
    router.post('/echo', (ctx) => { ctx.type = 'json'; ctx.body = ctx.req })`,
  nest: `import { Body, HttpCode, Post } from '@nestjs/common'
    @Controller()
    class Pages {
      @Get() home() { return 'a page of the host' }
      @Post('echo') @HttpCode(200) echo(@Body() body) { return body }
    }`,
  polka: `app.get('/', (req, res) => res.end('a page of the host'))
    app.post('/echo', (req, res) => req.pipe(res))`,
  restify: `server.get('/', (req, res, next) => { res.sendRaw('a page of the host'); next() })
    server.post('/echo', restify.plugins.bodyParser(), (req, res, next) => { res.send(req.body); next() })`,
}

/** The snippet under a heading, with the reader's own pages before its last statement. */
function snippet(heading: string, pages: string): string {
  const { code } = blockUnder(`## ${heading}`, page)
  const [, before = '', last = ''] = /^(.*\n)(.*(?:listen|serve)\(.*|export const handler.*)\n$/s.exec(code) ?? []
  return `${before}\n${pages}\n${last}\n`
}

/** The pages of a host without a framework take the place of its 404. */
const withoutFramework = (heading: string) =>
  blockUnder(`## ${heading}`, page).code.replace(
    'res.writeHead(404).end()',
    `(req.url === '/echo' ? req.pipe(res) : res.end('a page of the host'))`,
  )

const onNode = (code: string, more: Partial<HostCode> = {}): HostCode => ({
  files: { 'host.js': code },
  command: (folder) => [process.execPath, join(folder, 'host.js')],
  ...more,
})

const nest = () => {
  const { code } = blockUnder('## NestJS', page)
  const withPages = code
    .replace('@Module', `${ownPages.nest}\n@Module`)
    .replace('[BookingsController]', '[BookingsController, Pages]')
  return transformSync(withPages, {
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      target: 'es2022',
    },
  }).code
}

const express = () => snippet('Express', ownPages.express)

/** A program that an npm package brings for this system. */
const programOf = (scope: string, path: string): string =>
  join(packages, scope, readdirSync(join(packages, scope))[0] ?? '', path)

const onDeno = (code: string): HostCode => ({
  files: { 'host.js': code },
  command: () => [
    programOf('@deno', 'deno'),
    ...['run', '--no-prompt', '--node-modules-dir=manual', '--allow-net', '--allow-env', '--allow-read', 'host.js'],
  ],
})

const onBun = (code: string): HostCode => ({
  files: { 'host.js': code },
  command: () => [programOf('@oven', 'bin/bun'), 'host.js'],
})

const onLambda = (code: string): HostCode => ({
  files: { 'host.js': code },
  command: (folder, port) => [process.execPath, join(harness, 'lambda.mjs'), join(folder, 'host.js'), String(port)],
})

const block = (heading: string) => blockUnder(`### \`${heading}\``, page).code

const onNext = (): HostCode => ({
  files: {
    'next.config.mjs': block('next.config.mjs').replace(
      'rewrites: () => [',
      `$&\n{ source: '/', destination: '/api/home' }, { source: '/echo', destination: '/api/echo' },`,
    ),
    'pages/api/sign-in.js': block('pages/api/sign-in.js'),
    'pages/api/bookings.js': block('pages/api/bookings.js'),
    'pages/api/home.js': `export default (req, res) => res.end('a page of the host')`,
    'pages/api/echo.js': 'export default (req, res) => res.json(req.body)',
  },
  command: (_folder, port) => [
    process.execPath,
    join(packages, 'next/dist/bin/next'),
    ...['dev', '--webpack', '--hostname', '127.0.0.1', '--port', String(port)],
  ],
})

const hono = () => snippet('Hono', ownPages.hono)

const hosts: [name: string, code: () => HostCode, lacking?: Lacking][] = [
  ['Express 5', () => onNode(express())],
  ['Express 4', () => onNode(express().replaceAll(`'express'`, `'express-4'`))],
  ['Connect', () => onNode(snippet('Connect', ownPages.connect))],
  ['node:http', () => onNode(withoutFramework('node:http')), { errors: true }],
  ['node:http2', () => onNode(withoutFramework('node:http2'), { protocol: 'HTTP/2' }), { errors: true }],
  ['node:http2, by HTTP/1.1', () => onNode(withoutFramework('node:http2'), { protocol: 'HTTPS' }), { errors: true }],
  ['NestJS 12', () => onNode(nest())],
  [
    'NestJS 12 on Fastify',
    () =>
      onNode(
        `import { FastifyAdapter } from '@nestjs/platform-fastify'\n${nest()}`
          .replace('create(AppModule)', 'create(AppModule, new FastifyAdapter())')
          .replace('req.auth', 'req.raw.auth'),
      ),
  ],
  ['NestJS 11', () => onNode(nest(), { packages: 'nest-11' })],
  ['Fastify with @fastify/middie', () => onNode(snippet('Fastify', ownPages.fastify))],
  [
    'Fastify with @fastify/express',
    () => onNode(snippet('Fastify', ownPages.fastify).replace('@fastify/middie', '@fastify/express')),
  ],
  ['Hono', () => onNode(hono())],
  ['Koa', () => onNode(snippet('Koa', ownPages.koa))],
  ['Restify', () => onNode(snippet('Restify', ownPages.restify)), { errors: true }],
  ['Polka', () => onNode(snippet('Polka', ownPages.polka)), { errors: true }],
  ['Next.js', onNext, { prefix: true }],
  ['AWS Lambda', () => onLambda(snippet('AWS Lambda', ownPages.express))],
  ['Express on Deno', () => onDeno(express())],
  ['Hono on Deno', () => onDeno(hono())],
  ['Express on Bun', () => onBun(express())],
  ['Hono on Bun', () => onBun(hono())],
]

withPackages('the snippets of docs/hosts.md', () => {
  describe.each(hosts)('%s', (_name, code, lacking) => {
    const { atRoot, underPrefix } = mountings
    for (const mounting of [atRoot, underPrefix].slice(0, lacking?.prefix ? 1 : 2)) {
      describe(mounting.name, () => {
        servesCustomers(() => FrameworkHost.start(code(), mounting.prefix), mounting, lacking)
      })
    }
  })
})
