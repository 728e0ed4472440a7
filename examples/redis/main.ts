import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { NoRedisError } from '../../scripts/redis-process'
import { print } from '../quickstart/wire'
import { Front } from './front'
import { HostProcess } from './host-process'
import { findRedis } from './redis'

/**
 * Starts two processes of a host that share one Redis, walks through what that means, and keeps serving. With `--once` it ends after
 * the last step.
 */
async function main(): Promise<void> {
  const redis = await findRedis()
  const front = await Front.listen(Number(process.env.PORT ?? 0))
  const settings = { REDIS_URL: redis.url, BASE_URL: front.url, ...secrets() }
  const stop = async () => {
    front.close()
    await Promise.all(front.processes.map((host) => host.end('SIGTERM')))
    await redis.stop()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stop().finally(() => process.exit()))
  }

  try {
    front.processes = await Promise.all(['process 1', 'process 2'].map((name) => HostProcess.start(name, settings)))
    print(`Two processes of a host at ${front.url}, over Redis at ${new URL(redis.url).host}`)
    // The client library is an ES module, so the client is one too.
    const { walk } = await import('./client.mjs')
    const { accessToken } = await walk({ url: front.url, killNext: () => front.killNext() })
    print('\nEvery step went as it should.')
    if (process.argv.includes('--once')) return await stop()

    front.processes.push(await HostProcess.start('process 3', settings))
    print('A new process has taken the place of the one that was killed. Both keep running until you press Ctrl+C. Try')
    print(
      `\n# the bookings, several times\ncurl -si -H "Authorization: Bearer ${accessToken}" "${front.url}/v1/acme/bookings"`,
    )
    print(
      `\n# all that Redis stores\nredis-cli -u ${process.env.REDIS_URL ? '$REDIS_URL' : redis.url} --scan --pattern "example:*"`,
    )
  } catch (surprise) {
    await stop()
    throw surprise
  }
}

/** In production, load these from where you keep secrets, the same ones in every deployment. */
function secrets(): { SIGNING_KEY: string; CREDENTIAL_SECRET: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    SIGNING_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    CREDENTIAL_SECRET: randomBytes(32).toString('base64'),
  }
}

main().catch((surprise) => {
  const why = surprise instanceof NoRedisError ? surprise.message : `That was not expected: ${surprise.stack}`
  process.stderr.write(`\n${why}\n`)
  process.exitCode = 1
})
