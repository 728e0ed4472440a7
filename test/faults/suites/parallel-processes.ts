import type { Database } from '../../support/database'
import { HostProcess } from '../../support/host-process'
import type { HostSettings } from '../../support/host-process/settings'

const presentationsAtEach = 50

// So long that a busy machine takes none of a round's last presentations for a replay.
const signIn = { replayTolerance: 60 }

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
      const counts: Record<string, number> = {}
      for (const { status, body } of answers) {
        const answer = `${status} ${body.error ?? 'tokens'}`
        counts[answer] = (counts[answer] ?? 0) + 1
      }
      expect({ round, ...counts }).toEqual({ round, '200 tokens': 1, '400 invalid_grant': 199 })
      refresh_token = answers.find(({ status }) => status === 200)?.body.refresh_token ?? ''
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
