import type { RedisResults } from '../../../bench/redis/report'
import { textOf } from '../pages'

const page = textOf('docs/operations-redis.md').replace(/\s+/g, ' ')
const { commands, memory, log, scan, scale }: RedisResults = JSON.parse(textOf('bench/results/redis.json'))
const [smallest, , , largest] = scale

const whole = (number: number) => Math.round(number).toLocaleString('en')
const sentOf = (request: string) => commands.find((row) => row.request === request)?.sent

describe('the figures of docs/operations-redis.md', () => {
  it('are those of the latest measurement', () => {
    const cpu = scale.map(({ serverCpuUnderLoad }) => serverCpuUnderLoad)
    const [least, most] = [Math.min(...cpu), Math.max(...cpu)]
    for (const words of [
      `| 100,000 | ${whole((memory.bytesPerGrant * 100_000) / 1e6)} MB |`,
      `| 2,000,000 | ${((largest?.bytesPerGrant ?? 0) * 0.002).toFixed(2)} GB |`,
      `${whole(memory.bytesPerGrant)} bytes for a grant with its customer's index`,
      `${whole(memory.bytesPerGrantAfterRotations)} after ${memory.rotations} refreshes`,
      `${whole(largest?.bytesPerGrant ?? 0)} among two million`,
      `connected three clients it is ${whole(memory.bytesPerGrantOfThree)}`,
      `${whole(least)} to ${whole(most)} microseconds: ${whole(Math.floor(100 / most) * 10_000)} refreshes a second`,
      `a host waits ${largest?.hostRatio.toFixed(2)} times as long`,
      `the script takes ${largest?.serverRatio.toFixed(2)} times the CPU`,
      `${whole(log.perSwap)} bytes (a sign-in: ${whole(log.perSignIn)})`,
      `${whole(scan.perGrant / 10)}0 microseconds for each, and ${scan.perOtherKey.toFixed(1)} for every other key`,
    ]) {
      expect(page).toContain(words)
    }
  })

  it('describe the measured grant, and are within their stated limits', () => {
    expect(memory.bytesPerGrant).toBeLessThanOrEqual(700)
    expect(memory.bytesPerGrantAfterRotations / memory.bytesPerGrant).toBeLessThan(1.01)
    expect([smallest?.grants, largest?.grants]).toEqual([1000, 2_000_000])
  })

  it('count one command for a redemption, and one more in the cases that the page names', () => {
    expect(sentOf('Redeem a code')).toEqual({ evalsha: 1 })
    expect(sentOf('Redeem a refresh token')).toEqual({ evalsha: 1 })
    expect(sentOf('- with `resource`')).toEqual({ evalsha: 1 })
    expect(sentOf('- with a narrower `scope`')).toEqual({ evalsha: 1, get: 1 })
    expect(sentOf('- of a client that registered itself')).toEqual({ evalsha: 1, get: 1 })
  })
})
