import type { GrantType } from '../options'
import type { AccessTokenTerms } from './access-token-terms'
import type { Redeemed } from './redeem-credential'

/** A redeemed credential on its way to becoming tokens. */
export interface Redemption extends Redeemed, AccessTokenTerms {
  grantType: GrantType
}
