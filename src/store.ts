export type {
  CreateResult,
  CredentialSwap,
  Grant,
  GrantOwner,
  GrantPage,
  GrantPageRequest,
  Late,
  NewGrant,
  RedeemedCredential,
  ReversalResult,
  ReversedCode,
  ReversedCredential,
  SwapResult,
  SwapReversal,
  TokenStore,
} from './contract/token-store'
export type { CredentialKind } from './protocol/grant-types'
