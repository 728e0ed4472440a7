import { TestSignIn } from './sign-in'
import { replaced, type TestOptions } from './test-options'

const running: TestSignIn[] = []

afterEach(stopAll)

/** An authorization server with these options, stopped after the test. Of several, the later replace the earlier. */
export async function started(...options: TestOptions[]): Promise<TestSignIn> {
  const host = await TestSignIn.start(options.reduce(replaced, {}))
  running.push(host)
  return host
}

/** Stops all of them before the end of a test that starts many. */
export async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((host) => host.stop()))
}
