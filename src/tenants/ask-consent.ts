import { must } from '../configuration/checks'
import type { AskConsent } from '../contract/tenant-store'

/** How often customers are asked for consent. */
export const askConsent = must<AskConsent>('always or once', (given) => given === 'always' || given === 'once', {
  quotes: true,
})
