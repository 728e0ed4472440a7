import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const commands = ['chromium', 'chromium-browser', 'google-chrome']
const onMacOs = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)

/**
 * The arguments that the browser starts with. It opens only our own pages, so it needs no sandbox, which most containers do not
 * allow.
 */
export const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
]

/** The browser at `CHROMIUM_PATH`. If that is not set, the one on the PATH, or in the applications of macOS. */
export function findChromium(): string | undefined {
  const { CHROMIUM_PATH, PATH = '' } = process.env
  const places = PATH.split(delimiter).flatMap((folder) => commands.map((command) => join(folder, command)))
  return (CHROMIUM_PATH ? [CHROMIUM_PATH] : [...places, ...onMacOs]).find(existsSync)
}

/** Starts Chromium without a window. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath) return chromium.launch({ executablePath, args: browserArguments })
  const { CHROMIUM_PATH } = process.env
  throw new Error(
    `There is no Chromium ${CHROMIUM_PATH ? `at ${CHROMIUM_PATH}` : 'on the PATH'}: install one, or set CHROMIUM_PATH`,
  )
}
