// The pages in the host's own words and look, and the mistakes that the compiler finds.
import {
  createCustomerSignIn,
  type Links,
  MemoryTenantStore,
  MemoryTokenStore,
  type ReplacedWords,
  type ScopeWords,
  type Tenant,
  type Theme,
  type ThemeColors,
  type Words,
} from 'customer-sign-in'

const least = { tenantStore: new MemoryTenantStore([]), tokenStore: new MemoryTokenStore() }

const colors: ThemeColors = { accent: '#0b6e4f' }
const theme: Theme = { light: colors, dark: { ...colors, card: '#000' }, radius: 4 }
const links: Links = { privacy: 'https://acme.example/privacy', documentation: undefined }
const bookings: ScopeWords = { en: 'See your bookings', de: 'Ihre Buchungen sehen' }
const german: ReplacedWords = { consent: { allow: 'Zulassen', deny: undefined }, links: { terms: 'AGB' } }

/** A whole language, in which no word can be forgotten. */
export const swedish: (english: Words) => ReplacedWords = ({ consent, error }) => ({ consent, error })

createCustomerSignIn({ ...least, pages: { locale: 'de', theme, links, words: { de: german, sv: {} } } })
createCustomerSignIn({ ...least, scopes: { profile: 'Know who you are', bookings } })

const rows: Tenant[] = [
  { key: 'acme', locale: 'de', theme, links: { privacy: null, terms: links.terms } },
  { key: 'globex', locale: null, theme: null, links: null },
]
new MemoryTenantStore(rows)

// @ts-expect-error There is no such word.
createCustomerSignIn({ ...least, pages: { words: { de: { consent: { alow: 'Zulassen' } } } } })

// @ts-expect-error The words of scopes are in the option scopes.
createCustomerSignIn({ ...least, pages: { words: { de: { scopes: { profile: 'Wissen, wer Sie sind' } } } } })

// @ts-expect-error A word is plain text.
createCustomerSignIn({ ...least, pages: { words: { de: { consent: { allow: () => 'Zulassen' } } } } })

// @ts-expect-error A colour belongs to a scheme.
createCustomerSignIn({ ...least, pages: { theme: { accent: '#0b6e4f' } } })

// @ts-expect-error There is no such link.
createCustomerSignIn({ ...least, pages: { links: { privcy: 'https://acme.example/privacy' } } })
