import { redis } from '../support/database'
import { RedisCluster } from '../support/redis-cluster'
import { describeWithRedis } from '../support/redis-server'
import { expectOneWinnerEachRound, parallelProcesses } from './suites/parallel-processes'

parallelProcesses(redis)

describeWithRedis('four processes that are presented with one refresh token 200 times at once, on a Cluster,', () => {
  it('let exactly one of them redeem it each time', async () => {
    const cluster = await RedisCluster.start()
    await expectOneWinnerEachRound({ redis: { cluster: cluster.nodes } }).finally(() => cluster.stop())
  })
})
