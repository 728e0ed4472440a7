import { spawnSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { browserArguments, findChromium } from '../../scripts/chromium'
import { testCertificate } from './tls-certificate'

/**
 * What a browser can be told of its customer. A finger is only told: the mouse of an X server cannot touch, so the page is that of a phone,
 * and what presses it is the mouse.
 */
export type Customer = 'has only a finger' | 'wants less motion' | 'wants colors of their own'

interface Visit {
  url: string
  /** A new folder for the profile. */
  profile: string
  customer: Customer | undefined
  /** An origin whose certificate, the one of the tests, the customer trusts. */
  trusted: string | undefined
}

/** A browser engine in a program that runs without a debugger. */
export interface Engine {
  name: 'Chromium' | 'Firefox' | 'WebKit'
  program: string | undefined
  /** Which customers the engine can be told of. */
  customers: readonly Customer[]
  /** Prepares the profile. @returns The arguments of the program. */
  prepare(visit: Visit): string[]
}

const customersOfChromium: Record<Customer, string[]> = {
  'has only a finger': [
    '--touch-events=enabled',
    '--blink-settings=primaryHoverType=1,availableHoverTypes=1,primaryPointerType=2,availablePointerTypes=2',
  ],
  'wants less motion': ['--force-prefers-reduced-motion'],
  'wants colors of their own': ['--force-high-contrast'],
}

const customersOfFirefox: Record<Customer, Record<string, number>> = {
  'has only a finger': { 'ui.primaryPointerCapabilities': 1, 'ui.allPointerCapabilities': 1 },
  'wants less motion': { 'ui.prefersReducedMotion': 1 },
  'wants colors of their own': { 'browser.display.document_color_use': 2 },
}

// No pages but the stranger's and the host's, and no traffic of its own: a first run, updates, lists and reports.
const firefoxPreferences = {
  'app.normandy.enabled': false,
  'app.update.auto': false,
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.newtabpage.enabled': false,
  'browser.preonboarding.enabled': false,
  'browser.region.network.url': '',
  'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.search.update': false,
  'browser.sessionstore.resume_from_crash': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  'browser.topsites.contile.enabled': false,
  'datareporting.healthreport.uploadEnabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.disable_open_during_load': false,
  'dom.push.connection.enabled': false,
  'extensions.getAddons.cache.enabled': false,
  'extensions.update.enabled': false,
  'media.gmp-manager.updateEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'network.dns.disablePrefetch': true,
  'network.prefetch-next': false,
  'services.settings.server': 'data:,',
  'termsofuse.bypassNotification': true,
  'toolkit.telemetry.enabled': false,
  'toolkit.telemetry.unified': false,
}

export const chromium: Engine = {
  name: 'Chromium',
  program: findChromium(),
  customers: ['has only a finger', 'wants less motion', 'wants colors of their own'],
  prepare({ url, profile, customer, trusted }) {
    // Not --window-size: it would also be the size of each window that a page opens.
    const own = [`--user-data-dir=${profile}`, '--test-type', ...(trusted ? ['--ignore-certificate-errors'] : [])]
    return [...browserArguments, ...own, ...(customer ? customersOfChromium[customer] : []), url]
  },
}

const firefox: Engine = {
  name: 'Firefox',
  program: ['firefox-esr', 'firefox'].find(isInstalled),
  customers: ['has only a finger', 'wants less motion', 'wants colors of their own'],
  prepare({ url, profile, customer, trusted }) {
    const preferences = { ...firefoxPreferences, ...(customer && customersOfFirefox[customer]) }
    const lines = Object.entries(preferences).map((each) => `user_pref(${each.map((it) => JSON.stringify(it))});\n`)
    writeFileSync(join(profile, 'user.js'), lines.join(''))
    if (trusted) writeFileSync(join(profile, 'cert_override.txt'), `${new URL(trusted).host}:\t${fingerprint()}\t\n`)
    return ['--no-remote', '--profile', profile, '--width', '1100', '--height', '900', url]
  },
}

// Where Debian has it, which is not on the PATH. GTK 3 takes the pointer of every X server for a mouse, and Debian builds it without
// GTK_DEBUG=touchscreen, so WebKit cannot be told of a finger.
const places = spawnSync('sh', ['-c', 'ls /usr/lib/*/webkit2gtk-4*/MiniBrowser'], { encoding: 'utf8' })
const miniBrowser = places.stdout.trim().split('\n').at(-1)

const webKit: Engine = {
  name: 'WebKit',
  program: miniBrowser || undefined,
  customers: [],
  prepare: ({ url, trusted }) => ['--geometry=1100x900', ...(trusted ? ['--ignore-tls-errors'] : []), url],
}

export const engines: readonly Engine[] = [chromium, firefox, webKit]

function isInstalled(command: string): boolean {
  return spawnSync('which', [command]).status === 0
}

/** The certificate of the tests, as Firefox names it: the algorithm of the hash, and the hash. */
function fingerprint(): string {
  const hash = createHash('sha256').update(new X509Certificate(testCertificate().cert).raw).digest('hex')
  return `OID.2.16.840.1.101.3.4.2.1\t${hash.toUpperCase().replace(/..(?!$)/g, '$&:')}`
}
