import { registered } from '../../support/registration'
import { expectTokens, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const name = 'CUSTOMER_SIGN_IN_RETRY_WINDOW'

async function connected(host: TestSignIn, clientId: string): Promise<string> {
  const signedIn = await host.asCustomer({ clientId })
  return expectTokens(await host.exchange(signedIn, { client_id: clientId })).refresh_token
}

async function refreshed(host: TestSignIn, clientId: string): Promise<void> {
  expectTokens(await host.refresh(await connected(host, clientId), { client_id: clientId }))
}

describe('a process without a refreshRetryWindow', () => {
  it('warns once, when a client refreshes that is not the company’s own', async () => {
    const warnings: unknown[] = []
    const emitWarning = jest
      .spyOn(process, 'emitWarning')
      .mockImplementation((_message, options) => void warnings.push((options as { code?: string }).code))
    const [without, withWindow] = [await started(), await started({ refreshRetryWindow: 300 })]
    await refreshed(without, 'assistant-app')
    await refreshed(withWindow, await registered(withWindow))
    await connected(without, await registered(without))
    expect(warnings).not.toContain(name)
    for (const _again of [1, 2, 3]) await refreshed(without, await registered(without))
    expect(warnings.filter((code) => code === name)).toHaveLength(1)
    emitWarning.mockRestore()
  })
})
