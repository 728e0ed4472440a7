import type { CustomerSignInOptions } from 'customer-sign-in'
import { TestSignIn } from './sign-in'

const running: TestSignIn[] = []

afterEach(stopAll)

/** An authorization server with these options, stopped after the test. */
export async function started(options: Partial<CustomerSignInOptions> = {}): Promise<TestSignIn> {
  const host = await TestSignIn.start(options)
  running.push(host)
  return host
}

/** Stops all of them before the end of a test that starts many. */
export async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((host) => host.stop()))
}
