import { HostProcess } from '../support/host-process'
import type { HostSettings } from '../support/host-process/settings'
import { RedisCluster } from '../support/redis-cluster'
import { describeWithRedis, RedisServer } from '../support/redis-server'

const presentationsAtEach = 50

jest.setTimeout(600_000)

// So long that a busy machine refuses no presentation with 503.
const signIn = { hostTimeout: 30 }

/** Presents one customer's refresh token 200 times at once in each round. The next round uses the token of the winner. */
async function expectOneWinnerEachRound(
  redis: HostSettings['redis'],
  clockOffsets: readonly number[] = [0, 0, 0, 0],
  rounds = 100,
): Promise<void> {
  const hosts = await Promise.all(clockOffsets.map((clockOffset) => HostProcess.start({ redis, clockOffset, signIn })))
  try {
    let { refresh_token } = await (hosts[0] as HostProcess).connected()
    for (let round = 1; round <= rounds; round++) {
      const answers = await Promise.all(
        hosts.flatMap((host) => Array.from({ length: presentationsAtEach }, () => host.refresh(refresh_token))),
      )
      const winners = answers.filter(({ status }) => status === 200)
      const refused = answers.filter(({ status, body }) => status === 400 && body.error === 'invalid_grant')
      expect({ round, winners: winners.length, refused: refused.length }).toEqual({ round, winners: 1, refused: 199 })
      refresh_token = winners[0]?.body.refresh_token ?? ''
    }
  } finally {
    await Promise.all(hosts.map((host) => host.stop()))
  }
}

describeWithRedis('four processes that are presented with one refresh token 200 times at once', () => {
  it('let exactly one of them redeem it each time, on one server', async () => {
    const server = await RedisServer.start()
    await expectOneWinnerEachRound({ port: server.port }).finally(() => server.stop())
  })

  it.each([[[0, 0.02, -0.02, 2]], [[-2, 61, -61, 300]], [[-300, 86_400, -86_400, 0]]])(
    'let exactly one of them redeem it each time, with clocks that are %p seconds ahead',
    async (clockOffsets) => {
      const server = await RedisServer.start()
      await expectOneWinnerEachRound({ port: server.port }, clockOffsets, 20).finally(() => server.stop())
    },
  )

  it('let exactly one of them redeem it each time, on a Cluster', async () => {
    const cluster = await RedisCluster.start()
    await expectOneWinnerEachRound({ cluster: cluster.nodes }).finally(() => cluster.stop())
  })
})
