import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CustomerSignInOptions } from 'customer-sign-in'
import { snippetFolder, snippetWith } from '../docs/pages'

// The snippet makes a sign-in of its own: the test takes the options that it makes it with.
const before = `
const [tenantStore, tokenStore, authenticate] = []
let given
const createCustomerSignIn = (options) => { given = options }
`
const after = '\nexport const { pages, scopes: words } = given\n'

type OwnPage = Pick<CustomerSignInOptions, 'pages' | 'scopes'>

/** The options of the consent page that docs/pages.md shows, once the tests of a file begin. */
export function ownConsentPage(): () => OwnPage {
  const folder = snippetFolder()
  let options: OwnPage = {}
  beforeAll(async () => {
    const file = join(folder, 'own-consent-page.ts')
    writeFileSync(file, before + snippetWith('function sendPage').code + after)
    const { pages, words } = await import(file)
    options = { pages, scopes: words }
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  return () => options
}
