import type { Database } from '../../support/database'
import { HostProcess } from '../../support/host-process'
import type { HostSettings } from '../../support/host-process/settings'

const presentationsAtEach = 50

jest.setTimeout(600_000)

// So long that a busy machine refuses no presentation with 503, and takes none of a round's last ones for a replay.
const signIn = { hostTimeout: 30, replayTolerance: 60 }

/** Presents one customer's refresh token 200 times at once in each round. The next round uses the token of the winner. */
export async function expectOneWinnerEachRound(
  settings: Pick<HostSettings, 'redis' | 'postgres'>,
  clockOffsets: readonly number[] = [0, 0, 0, 0],
  rounds = 100,
): Promise<void> {
  const hosts = await Promise.all(
    clockOffsets.map((clockOffset) => HostProcess.start({ ...settings, clockOffset, signIn })),
  )
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

/** Exactly one of 200 presentations of a refresh token redeems it, in whatever process. */
export function parallelProcesses(database: Database): void {
  database.describe('four processes that are presented with one refresh token 200 times at once', () => {
    it('let exactly one of them redeem it each time, on one server', async () => {
      const server = await database.start()
      await expectOneWinnerEachRound(database.settingsFor(server.port)).finally(() => server.stop())
    })

    it.each([[[0, 0.02, -0.02, 2]], [[-2, 61, -61, 300]], [[-300, 86_400, -86_400, 0]]])(
      'let exactly one of them redeem it each time, with clocks that are %p seconds ahead',
      async (clockOffsets) => {
        const server = await database.start()
        await expectOneWinnerEachRound(database.settingsFor(server.port), clockOffsets, 20).finally(() => server.stop())
      },
    )
  })
}
