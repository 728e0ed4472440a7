import type { ConsentTokens } from './authorization/consent-tokens'
import type { MetadataDocuments } from './clients/metadata-documents'
import type { Emit } from './events/events'
import type { CredentialChain } from './grants/credential-chain'
import type { Swaps } from './grants/swaps'
import type { BaseUrl } from './http/base-url'
import type { PublicDocuments } from './http/public-documents'
import type { Options } from './options'
import type { ProtectedResource } from './protocol/protected-resource'
import type { GuardedStore } from './stores/guarded-store'
import type { SigningKeys } from './tokens/signing-keys'

/** What `createCustomerSignIn` has wired together, for everything below the router. */
export interface Service {
  options: Options
  baseUrl: BaseUrl
  /** The host's store, inside `hostTimeout`. */
  tokenStore: GuardedStore
  signingKeys: SigningKeys
  chain: CredentialChain
  swaps: Swaps
  /** Absent where clients cannot identify themselves by a metadata document. */
  metadataDocuments: MetadataDocuments | undefined
  consentTokens: ConsentTokens
  publicDocuments: PublicDocuments
  /** Grows as the host announces them. */
  protectedResources: ProtectedResource[]
  emit: Emit
}
