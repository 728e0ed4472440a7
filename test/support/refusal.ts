import { inspect } from 'node:util'
import { eventually } from './redis-server'
import { expectTokens, type TestSignIn, type Tokens } from './sign-in'

/** Fails unless each refused request has one event that names the cause and gives no secret away. */
export async function expectOneClearError(host: TestSignIn, named: RegExp, ...secrets: string[]): Promise<void> {
  const errors = await host.told('error')
  expect(errors).toHaveLength(1)
  const [{ error, ...event } = { error: undefined }] = errors
  expect(event).toMatchObject({ type: 'error', where: 'token', tenantKey: 'acme' })
  expect(error?.message).toMatch(named)
  for (const secret of secrets) expect(everythingIn(error)).not.toContain(secret)
}

/** All that could be printed of an error. */
export function everythingIn(error: unknown): string {
  return inspect(error, { depth: null, showHidden: true, maxStringLength: null, maxArrayLength: null })
}

/** Refreshes with one token again as long as the response is 503. */
export async function refreshedEventually(host: TestSignIn, refreshToken: string): Promise<Tokens> {
  let answer = await host.refresh(refreshToken)
  await eventually(async () => {
    if (answer.status === 503) answer = await host.refresh(refreshToken)
    return answer.status !== 503
  })
  return expectTokens(answer)
}
