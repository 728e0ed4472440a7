import type { Report } from '../../../src/doctor/report'
import { CertificateAuthority } from '../../support/certificate-authority'
import { findingsOf, hostApp, listening, nginx, passOn } from '../../support/deployment'
import { describeWithNginx } from '../../support/front-server'
import { runCommand } from '../../support/run-doctor'

describeWithNginx('the doctor, at an app behind TLS', () => {
  let authority: CertificateAuthority
  beforeAll(() => {
    authority = new CertificateAuthority()
  })
  afterAll(() => authority.remove())

  /** @returns What the doctor says, who trusts the authority. */
  async function reportBehind(
    lines: string,
    { options = (origin: string): object => ({ baseUrl: origin }), pass = passOn, isTrusted = true } = {},
  ): Promise<Report> {
    const { port: upstream, answer } = await listening()
    const { port } = await nginx(
      (place) => `server { listen 127.0.0.1:${place.port} ssl; ${lines} location / { ${pass(upstream)} } }`,
    )
    const origin = `https://127.0.0.1:${port}`
    answer(hostApp(origin, { options }))
    const env = isTrusted ? { NODE_EXTRA_CA_CERTS: authority.root } : {}
    const { stdout, stderr } = await runCommand(['doctor', '--json', `${origin}/v1/acme/mcp`], env)
    expect(stderr).toBe('')
    return JSON.parse(stdout) as Report
  }

  const foundBehind = async (...of: Parameters<typeof reportBehind>) => findingsOf(await reportBehind(...of))

  const good = () => authority.certificate('good').whole

  it('finds nothing at a good deployment', async () => {
    expect(await foundBehind(good())).toEqual([])
  })

  it('finds nothing if the app has its address from the proxy', async () => {
    // Express trusts the proxy of these tests.
    expect(await foundBehind(good(), { options: () => ({ baseUrl: undefined }) })).toEqual([])
  })

  it('says what may be wrong where no cookie is set, because nobody can see more before the login', async () => {
    const { steps } = await reportBehind(good())
    expect(steps.find(({ step }) => step === 'authorize')).toMatchObject({
      status: 'good',
      notes: [expect.stringContaining("app.set('trust proxy', 1)")],
    })
    const pass = (upstream: number) => `${passOn(upstream)} add_header Set-Cookie "session=1; Secure; SameSite=Lax";`
    expect(
      (await reportBehind(good(), { pass })).steps.flatMap(({ step, notes }) => (step === 'authorize' ? notes : [])),
    ).toEqual([])
  })

  it('finds a proxy that does not say that it was https', async () => {
    const pass = (upstream: number) => `proxy_pass http://127.0.0.1:${upstream}; proxy_set_header Host $http_host;`
    expect(await foundBehind(good(), { options: () => ({ baseUrl: undefined }), pass })).toEqual([
      'resource: wrong-scheme',
    ])
  })

  it('finds a login page on http', async () => {
    const pass = (upstream: number) => `${passOn(upstream)} proxy_redirect ~^/login http://127.0.0.1/login;`
    expect(await foundBehind(good(), { pass })).toEqual(['authorize: authorize-http'])
  })

  it('finds an endpoint on http', async () => {
    const options = (baseUrl: string) => ({ baseUrl, externalEndpoints: { revocation: 'http://127.0.0.1:1/revoke' } })
    expect(await foundBehind(good(), { options })).toEqual(['server: http-endpoint', 'revocation: refused'])
  })

  it('finds a certificate that has expired', async () => {
    expect(await foundBehind(authority.certificate('old', { days: -1 }).whole)).toEqual(['api: tls-expired'])
  })

  it('finds a certificate of another host', async () => {
    const { whole } = authority.certificate('other', { host: 'DNS:other.example' })
    expect(await foundBehind(whole)).toEqual(['api: tls-wrong-host'])
  })

  it('finds an incomplete chain', async () => {
    expect(await foundBehind(authority.certificate('alone').alone)).toEqual(['api: tls-incomplete-chain'])
  })

  it('finds a certificate that is self-signed', async () => {
    expect(await foundBehind(authority.lines('self.pem', 'self'))).toEqual(['api: tls-self-signed'])
  })

  it('finds an authority that nobody knows', async () => {
    expect(await foundBehind(good(), { isTrusted: false })).toEqual(['api: tls-unknown-authority'])
  })

  it('finds a protocol that is too old', async () => {
    expect(await foundBehind(`${good()} ssl_protocols TLSv1; ssl_ciphers ALL:@SECLEVEL=0;`)).toEqual([
      'api: tls-failed',
    ])
  })
})
