import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isUrl } from '../protocol/resource'

/** A browser in which somebody signs in, and the address to which it comes back. */
export type SignInWindow = Pick<OwnBrowser, 'redirectUri' | 'minutes' | 'open'>

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>customer-sign-in doctor</title>
<h1>Back at the doctor</h1><p>You can close this window. The result is in the terminal.</p>`

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
}

/** The browser of this machine, which comes back to it (RFC 8252 section 7.3) at a free port. */
export class OwnBrowser {
  /** How long the browser may take. */
  readonly minutes: number = 5
  redirectUri = ''
  readonly #server = createServer()

  static async listen(): Promise<OwnBrowser> {
    const browser = new OwnBrowser()
    await once(browser.#server.listen(0, '127.0.0.1'), 'listening')
    browser.redirectUri = `http://127.0.0.1:${(browser.#server.address() as AddressInfo).port}/callback`
    return browser
  }

  /** Opens an address, and prints it: to stderr, so that stdout is the JSON alone. @returns What {@link answer} does. */
  open(url: string): Promise<URLSearchParams | undefined> {
    process.stderr.write(`Sign in within ${this.minutes} minutes, in the browser that opens now, or here:\n${url}\n`)
    const answer = this.answer(this.minutes * 60_000)
    openBrowser(url)
    return answer
  }

  /** @param limit In milliseconds. @returns The parameters with which the browser comes back, or undefined if it does not. */
  answer(limit: number): Promise<URLSearchParams | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limit, undefined)
      this.#server.on('request', (req, res) => {
        const target = req.url ?? '/'
        // Any program of this machine can send anything here. A browser also asks for an icon.
        const url = isUrl(target, this.redirectUri) ? new URL(target, this.redirectUri) : undefined
        if (url?.pathname !== '/callback') return res.writeHead(404).end()
        clearTimeout(timer)
        resolve(url.searchParams)
        return res.writeHead(200, headers).end(page)
      })
    })
  }

  close(): void {
    this.#server.close()
    setTimeout(() => this.#server.closeAllConnections(), 1000).unref()
  }
}

// On Windows, `start` belongs to cmd.exe, which would take the & of the address for its own.
const browsers: Record<string, string> = { darwin: 'open', win32: 'rundll32 url.dll,FileProtocolHandler' }

/** With the command in `BROWSER`, or that of the system. No shell reads the address. Without a browser, nothing happens: it is also printed. */
function openBrowser(url: string): void {
  const browser = process.env.BROWSER?.trim() || browsers[process.platform] || 'xdg-open'
  const [command = '', ...args] = browser.split(/\s+/)
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
