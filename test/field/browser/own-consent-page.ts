import type { CustomerSignInOptions } from 'customer-sign-in'
import { consent, scopes } from '../../../examples/consent-page/consent-page'

/** The options of the consent page that docs/pages.md shows. */
export function ownConsentPage(): () => Pick<CustomerSignInOptions, 'pages' | 'scopes'> {
  return () => ({ pages: { consent }, scopes })
}
