import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The clock of a server process, which a test can set to differ from the machine's (libfaketime). */
export class ServerClock {
  readonly #file: string
  #ahead = 0

  /** @param dir A folder that only this server uses. */
  constructor(dir: string) {
    this.#file = join(dir, 'clock')
    this.set(0)
  }

  /** The environment that the process needs. */
  get environment(): Record<string, string> {
    return {
      // Debian's Redis gets its memory from a library that asks for the time while it is loaded, which makes libfaketime crash.
      // So the second library puts glibc's malloc in its place.
      LD_PRELOAD: '/usr/$LIB/faketime/libfaketime.so.1:libc_malloc_debug.so.0',
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_FMT: '%s',
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
  }

  /** Makes the clock run, this many seconds ahead of the machine's, or behind it. */
  set(seconds: number): void {
    this.#ahead = seconds
    this.#write(`${seconds < 0 ? '-' : '+'}${Math.abs(seconds).toFixed(3)}`)
  }

  /** Advances this clock only. */
  advance(seconds: number): void {
    this.set(this.#ahead + seconds)
  }

  /** Stops it at a time, in milliseconds since 1970. */
  stopAt(time: number): void {
    // In the middle of the millisecond, because libfaketime may round down by a microsecond.
    this.#write(`${(Math.floor(time) / 1000).toFixed(3)}5`)
  }

  #write(time: string): void {
    // Renamed in one step, because the server can read the file at any time.
    writeFileSync(`${this.#file}.next`, time)
    renameSync(`${this.#file}.next`, this.#file)
  }
}
