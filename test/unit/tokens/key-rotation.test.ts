import { generateKeyPairSync } from 'node:crypto'
import { MemoryTokenStore, type SigningKeyInput } from 'customer-sign-in'
import request from 'supertest'
import { readToken } from '../../support/forged-token'
import { expectTokens, TestSignIn } from '../../support/sign-in'

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const inAcme = { tenantKey: 'acme' }

describe('while signing keys rotate', () => {
  const [first, second] = [newKey(), newKey()]
  const tokenStore = new MemoryTokenStore()
  let before: TestSignIn
  let during: TestSignIn
  let after: TestSignIn
  beforeAll(async () => {
    // One service, restarted with other keys: same address, same store.
    const withKeys = (...signingKeys: SigningKeyInput[]) =>
      TestSignIn.start({ baseUrl: 'https://assistant.example', tokenStore, keys: { signing: signingKeys } })
    before = await withKeys(first)
    during = await withKeys(second, first)
    after = await withKeys(second)
  })
  afterAll(() => Promise.all([before.stop(), during.stop(), after.stop()]))

  it('the first key signs', async () => {
    const kids = await Promise.all([before, during, after].map(kidOf))
    expect(kids[0]).not.toBe(kids[1])
    expect(kids[1]).toBe(kids[2])
  })

  it('all keys are published', async () => {
    const { body } = await request(during.url).get('/v1/acme/oauth/jwks').expect(200)
    expect(body.keys.map(({ kid }: { kid: string }) => kid)).toEqual([await kidOf(during), await kidOf(before)])
  })

  it('a token of the old key is valid only while that key is listed', async () => {
    const { access_token } = await before.connected()
    await during.signIn.verifyAccessToken(access_token, inAcme)
    await expect(after.signIn.verifyAccessToken(access_token, inAcme)).rejects.toMatchObject({ code: 'invalid_token' })
  })

  it('a token of the new key is valid from then on, except at a process that does not know the key yet', async () => {
    const { access_token } = await during.connected()
    await during.signIn.verifyAccessToken(access_token, inAcme)
    await after.signIn.verifyAccessToken(access_token, inAcme)
    await expect(before.signIn.verifyAccessToken(access_token, inAcme)).rejects.toMatchObject({ code: 'invalid_token' })
  })

  it('nobody has to sign in again', async () => {
    let { refresh_token } = await before.connected()
    for (const service of [before, during, before, during, after]) {
      refresh_token = expectTokens(await service.refresh(refresh_token)).refresh_token
    }
  })
})

async function kidOf(service: TestSignIn): Promise<unknown> {
  return readToken((await service.connected()).access_token).header.kid
}
