import { recordOf } from '../../support/records'
import { eventually } from '../../support/redis-server'
import { expectError, expectTokens, type TestSignIn, type Tokens } from '../../support/sign-in'

/** Refreshes as a client does: with the same token again as long as it is told to retry. */
export async function refreshPatiently(host: TestSignIn, { refresh_token }: Tokens): Promise<Tokens> {
  let answer = await host.refresh(refresh_token)
  await eventually(async () => {
    if (answer.status !== 503) return true
    expectError(answer, 503, 'temporarily_unavailable')
    answer = await host.refresh(refresh_token)
    return false
  })
  return expectTokens(answer)
}

/** A store whose database can lose its newest writes. */
export interface Lossy {
  startedOn(): Promise<TestSignIn>
  /** Makes the database lose what `write` does with a grant, and go on. @returns What `write` returns. */
  losing<T>(grantId: string, write: () => Promise<T>): Promise<T>
}

/** Nobody is signed out when a database loses its newest writes, and a replay still ends the grant. */
export function lostWrites(lossy: Lossy): void {
  it.each([1, 2, 4])('that loses the newest %d writes of a chain signs nobody out', async (writes) => {
    const host = await lossy.startedOn()
    const first = await host.connected()
    const newest = await lossy.losing(await grantIdOf(host), async () => {
      let tokens = first
      for (let write = 0; write < writes; write++) tokens = expectTokens(await host.refresh(tokens.refresh_token))
      return tokens
    })

    const next = await refreshPatiently(host, newest)
    expect(await host.told('refreshed')).toContainEqual(expect.objectContaining({ recovered: true }))
    expectTokens(await host.refresh(next.refresh_token))
  })

  it('that loses a redemption still lets a replay after it end the grant', async () => {
    const host = await lossy.startedOn()
    const first = await host.connected()
    const second = await lossy.losing(await grantIdOf(host), async () =>
      expectTokens(await host.refresh(first.refresh_token)),
    )

    const third = await refreshPatiently(host, second)
    expectError(await host.refresh(second.refresh_token), 400, 'invalid_grant')
    expectError(await host.refresh(third.refresh_token), 400, 'invalid_grant')
    expect(await host.told('replayed')).toMatchObject([{ ended: true }])
  })

  it('that loses the redemption of the code signs nobody out', async () => {
    const host = await lossy.startedOn()
    const signedIn = await host.asCustomer({ subject: 'customer-2' })
    const tokens = await lossy.losing(await grantIdOf(host, 'customer-2'), async () =>
      expectTokens(await host.exchange(signedIn)),
    )
    await refreshPatiently(host, tokens)
    expect(await host.told('refreshed')).toMatchObject([{ recovered: true }])
  })
}

async function grantIdOf({ tokenStore }: TestSignIn, subject = 'customer-1'): Promise<string> {
  return (await recordOf(tokenStore, 'acme', subject)).grantId
}
