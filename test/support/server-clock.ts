import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The clock of a server process, which differs from the machine's by what a test says (libfaketime). */
export class ServerClock {
  readonly #file: string
  #ahead = 0

  /** @param dir A folder of the server's own. */
  constructor(dir: string) {
    this.#file = join(dir, 'clock')
    this.set(0)
  }

  /** What the process must be started with. */
  get environment(): Record<string, string> {
    return {
      // Debian's Redis takes its memory from a library that asks for the time while it is loaded, which libfaketime does not survive.
      // So it takes glibc's, which stands behind malloc in the second library.
      LD_PRELOAD: '/usr/$LIB/faketime/libfaketime.so.1:libc_malloc_debug.so.0',
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_FMT: '%s',
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
  }

  /** Sets it to go as the machine's does, so many seconds ahead of it, or behind it. */
  set(seconds: number): void {
    this.#ahead = seconds
    this.#write(`${seconds < 0 ? '-' : '+'}${Math.abs(seconds).toFixed(3)}`)
  }

  /** Lets time pass for it alone. */
  advance(seconds: number): void {
    this.set(this.#ahead + seconds)
  }

  /** Stops it at a time, in milliseconds since 1970. */
  stopAt(time: number): void {
    // In the middle of its millisecond, because libfaketime cuts off what it takes for a microsecond less.
    this.#write(`${(Math.floor(time) / 1000).toFixed(3)}5`)
  }

  #write(time: string): void {
    // At once, as the server looks whenever it likes.
    writeFileSync(`${this.#file}.next`, time)
    renameSync(`${this.#file}.next`, this.#file)
  }
}
