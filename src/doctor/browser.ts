import { spawn } from 'node:child_process'

/**
 * Opens an address in the browser: with the command in `BROWSER`, or with that of the system. No shell reads the address. If there is no
 * browser, nothing happens: the address is also printed.
 */
export function openBrowser(url: string): void {
  const [command = '', ...args] = process.env.BROWSER?.trim() ? process.env.BROWSER.trim().split(/\s+/) : ofSystem()
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

function ofSystem(): string[] {
  if (process.platform === 'darwin') return ['open']
  // `start` belongs to cmd.exe, which would take the & of the address for its own.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return ['xdg-open']
}
