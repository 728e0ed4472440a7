import type { DefectName } from './hosts/defects'
import type { StoreKind } from './stores/campaign-store'

/** The options of a campaign. Times are seconds. */
export interface CampaignOptions {
  seconds: number
  seed: number
  clients: number
  window: number
  tolerance: number
  hostTimeout: number
  store: StoreKind
  defect?: DefectName
}
