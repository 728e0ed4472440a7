import { createRuntime } from 'mcporter'
import { freePort } from './free-port.mjs'
import { connections } from './session.mjs'

export async function start({ server, folder, authorize }) {
  const oauthSessionOptions = {
    suppressBrowserLaunch: true,
    onAuthorizationUrl: ({ authorizationUrl }) => void authorize(authorizationUrl),
  }
  const definition = {
    name: 'acme',
    command: { kind: 'http', url: new URL(server) },
    auth: 'oauth',
    tokenCacheDir: folder,
    // Without it, each run takes another port and forgets the registration, and with it the sign-in, up to 0.13.1:
    // https://github.com/openclaw/mcporter/issues/290
    oauthRedirectUrl: `http://127.0.0.1:${await freePort()}/callback`,
  }
  const open = async () => {
    const runtime = await createRuntime({ servers: [definition] })
    await runtime.listTools('acme', { oauthSessionOptions })
    return runtime
  }
  // They share the files of one folder.
  const runtimes = [await open()]
  while (runtimes.length < connections) runtimes.push(await open())
  return {
    callTool: async (index) => JSON.stringify(await runtimes[index % runtimes.length].callTool('acme', 'who_am_i')),
  }
}
