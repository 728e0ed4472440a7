import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { postgresSchema } from 'customer-sign-in/postgres'
import { ownedFolder, owner } from '../../scripts/postgres-process'
import { describeWithPostgres, PostgresServer } from '../support/postgres-server'
import { eventually } from '../support/redis-server'
import { refreshedEventually } from '../support/refusal'
import { expectError, expectTokens, type TestSignIn } from '../support/sign-in'
import { startedOnPostgres } from '../support/started-on-postgres'

const size = 120 * 1024 * 1024

// Until the server has used what is left inside the files of its log.
const filling = "select pg_logical_emit_message(true, 'filling', repeat('x', 100000))"

/** A disk of its own in memory, which only root can make, and not in every container. */
function mountDisk(): string | undefined {
  const folder = ownedFolder('postgres-disk-')
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' })
    if (owner) chownSync(folder, owner.uid, owner.gid)
    return folder
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
}

const disk = mountDisk()
afterAll(() => {
  if (!disk) return
  // Also if a test has timed out and its server still runs.
  execFileSync('umount', ['-l', disk])
  rmSync(disk, { recursive: true })
})

// Not `describeWith`, because CI may not be able to mount a disk.
const describeWithDisk = disk ? describe : describe.skip
if (!disk) process.stderr.write('\nSKIPPED: PostgreSQL whose disk is full: no disk can be mounted (only root can)\n\n')

describeWithPostgres('PostgreSQL whose disk is full', () => {
  describeWithDisk('of its log and its tables', () => {
    it('makes a host respond with 503, and signs nobody out when there is space again', async () => {
      const server = await PostgresServer.start({ fsync: 'on' }, { folder: disk ?? '' })
      try {
        await server.query(postgresSchema())
        const host = await startedOnPostgres(server.port, { hostTimeout: 5, replayTolerance: 0 })
        const customers = Array.from({ length: 5 }, (_, index) => `customer-${index}`)
        const held: string[] = []
        for (const subject of customers) held.push((await host.connected({ subject })).refresh_token)

        const junk = join(disk ?? '', 'junk')
        fill(junk)
        for (const customer of customers.keys()) {
          held[customer] = await refreshedUntilRefused(host, held[customer] ?? '', () =>
            succeeds(() => server.query(filling)),
          )
        }

        rmSync(junk)
        // PostgreSQL ends if it cannot write its log.
        await eventually(() => succeeds(() => server.start()))
        for (const [customer, token] of held.entries()) {
          const next = await refreshedEventually(host, token)
          expectTokens(await host.refresh(next.refresh_token))
          const of = { tenantKey: 'acme', subject: customers[customer] ?? '' }
          expect((await host.signIn.grants.list(of)).grants).toHaveLength(1)
        }
        expect(await host.told('replayed')).toEqual([])
        expect((await host.told('error')).length).toBeGreaterThan(0)
      } finally {
        await server.stop()
      }
    })
  })

  describeWithDisk('of its tables alone', () => {
    it('refuses a sign-in with a clear error, and takes the next when there is space again', async () => {
      const server = await PostgresServer.start()
      try {
        const folder = join(disk ?? '', 'tables')
        mkdirSync(folder)
        if (owner) chownSync(folder, owner.uid, owner.gid)
        await server.query(postgresSchema())
        await server.query(`create tablespace small location '${folder}'`)
        await server.query('alter table customer_sign_in.grants set tablespace small')
        const host = await startedOnPostgres(server.port, { replayTolerance: 0 })
        const { refresh_token } = await host.connected()

        const junk = join(disk ?? '', 'junk')
        fill(junk)
        // Until no page of the table has room.
        const fillPages = async () => {
          for (;;) await host.asCustomer()
        }
        await expect(fillPages()).rejects.toMatchObject({
          code: 'temporarily_unavailable',
          cause: { message: expect.stringMatching(/\(53100\); the disk of the server is full$/) },
        })

        rmSync(junk)
        await host.connected()
        expectTokens(await host.refresh(refresh_token))
      } finally {
        await server.stop()
      }
    })
  })
})

/** @returns The refresh token of the first request that got 503. */
async function refreshedUntilRefused(host: TestSignIn, firstToken: string, fillMore: () => unknown): Promise<string> {
  let token = firstToken
  for (;;) {
    await fillMore()
    const answer = await host.refresh(token)
    if (answer.status !== 200) {
      expectError(answer, 503, 'temporarily_unavailable')
      return token
    }
    token = expectTokens(answer).refresh_token
  }
}

function fill(file: string): void {
  try {
    for (;;) writeFileSync(file, Buffer.alloc(1024 * 1024), { flag: 'a' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  return work().then(
    () => true,
    () => false,
  )
}
