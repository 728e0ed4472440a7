import type { TestOptions } from '../../../support/test-options'
import type { StoreSettings } from '../stores/campaign-store'
import type { DefectName } from './defects'

export const frameworks = ['node:http', 'Express 5', 'Express 4', 'Connect'] as const

/** The settings of a host process, as JSON in its environment. */
export interface HostSettings {
  port: number
  framework: (typeof frameworks)[number]
  store: StoreSettings
  signIn: Pick<TestOptions, 'hostTimeout' | 'refreshRetryWindow' | 'replayTolerance'>
  /** PEM. */
  signingKeys: string[]
  credentialSecrets: string[]
  defect?: DefectName
}

/** The messages of a host process to the campaign. */
export type HostMessage = 'listening' | { event: string; grantId?: string; detail?: string }
