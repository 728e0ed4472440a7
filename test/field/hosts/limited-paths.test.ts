import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import connect from 'connect'
import type { CustomerSignIn } from 'customer-sign-in'
import express from 'express'
import express4 from 'express4'
import { HostApp, testSignIn } from '../../support/host-app'
import { redirectUri } from '../../support/sign-in'
import { head, rawRequest } from '../../unit/http/raw-request'

/** Middleware that counts requests and lets them through, like a rate limit. */
type Limit = (req: IncomingMessage, res: ServerResponse, next: () => void) => void

/** A host with a limit in front of `I/register`, mounted by its path, and the router behind it. */
type Assemble = (limit: Limit, signIn: CustomerSignIn, mountPath: string) => RequestListener

const hosts: Record<string, Assemble> = {
  'Express 5': (limit, signIn, mountPath) =>
    express().use(`${mountPath}/v1/:tenantKey/oauth/register`, limit).use(mountPath, signIn),
  'Express 4': (limit, signIn, mountPath) =>
    express4()
      .use(`${mountPath}/v1/:tenantKey/oauth/register`, limit)
      .use(mountPath || '/', signIn),
  'Connect 3': (limit, signIn, mountPath) =>
    connect()
      .use(`${mountPath}/v1/acme/oauth/register`, limit)
      .use(mountPath || '/', signIn),
}

const register = '/v1/acme/oauth/register'

/** Ways to write the path of `I/register`, and other paths that some parser could take for it. */
const paths = [
  ...[' / ? ?a=b ?# # #? ; ;a=b %20 \\ %2F %00 /. /.. /../register', '\t'].flatMap((ends) =>
    ends.split(' ').map((end) => register + end),
  ),
  ...'//v1/acme/oauth/register /v1//acme/oauth/register /v1/acme/oauth//register /./v1/acme/oauth/register'.split(' '),
  ...'/v1/./acme/oauth/register /v1/x/../acme/oauth/register /v1/acme/oauth/%72egister /V1/acme/oauth/register'.split(
    ' ',
  ),
  ...'/v1/acme/OAuth/register /v1/acme/oauth/REGISTER /v1%2Facme/oauth/register /v1/acme/oauth%2Fregister'.split(' '),
  ...'/v1\\acme\\oauth\\register \\v1\\acme\\oauth\\register /v1;/acme/oauth/register /v1/acme;x/oauth/register'.split(
    ' ',
  ),
  ...'/v1/acme/oauth\\register /\\v1/acme/oauth/register /v1/acme/oauth/register\\.. /x/../v1/acme/oauth/register'.split(
    ' ',
  ),
]
const authorities = [
  ...'x x:80 x: x; x%41 a:b u@x u:p@x @x / x\\ x# x" x| x^ x{} x\' x,y x_y * 1.2.3.4 x..y - xn--a'.split(' '),
  ...['[::1]', '[::1', '[x]', '[::1]:80', '[::1%25lo]', 'x'.repeat(300), ''],
].flatMap((authority) => ['http', 'https', 'HTTP', 'ftp', 'x'].map((scheme) => `${scheme}://${authority}`))
const otherForms = ['http:', 'http:/', 'https:///', 'x:', '//x', 'x', 'http:\\\\x', 'http:x', '*', '']

/** All request targets to try, for a router that is mounted under a path. */
const targets = (mountPath: string) => [
  ...paths.map((path) => mountPath + path),
  ...paths.map((path) => mountPath + mountPath + path),
  ...[...authorities, ...otherForms].map((origin) => origin + mountPath + register),
  ...['?', '#', ';', '\\'].map((mark) => `http://x${mark}${mountPath}${register}`),
  ...['?', '#', ';', '\\'].map((mark) => `http://x${mark}@y${mountPath}${register}`),
]

const body = JSON.stringify({ redirect_uris: [redirectUri] })
const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }

describe.each(Object.entries(hosts))('a limit that %s has mounted by a path', (_, assemble) => {
  it.each(['', '/auth'])('cannot be bypassed by any spelling of the path (mounted under %j)', async (mountPath) => {
    let counted = 0
    const app = await HostApp.start((origin) => {
      const limit: Limit = (_req, _res, next) => {
        counted++
        next()
      }
      const host = assemble(limit, testSignIn({ baseUrl: origin + mountPath }), mountPath)
      return (req, res) => {
        try {
          host(req, res)
        } catch {
          // Connect throws if a target is not a URL.
          res.writeHead(400).end()
        }
      }
    })
    const served: string[] = []
    const passedBy: string[] = []
    try {
      for (const target of targets(mountPath)) {
        counted = 0
        const { status } = await rawRequest(app.origin, head(`POST ${target}`, headers), body)
        if (status === 201) served.push(target)
        if (status === 201 && counted === 0) passedBy.push(target)
      }
    } finally {
      await app.stop()
    }
    expect(passedBy).toEqual([])
    // The router did serve some of the requests.
    expect(served).toEqual(expect.arrayContaining([mountPath + register, `http://x:80${mountPath}${register}`]))
  })
})
