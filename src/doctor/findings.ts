import { answerFindings } from './findings/answers'
import { apiFindings } from './findings/api'
import { browserFindings } from './findings/browsers'
import { connectionFindings } from './findings/connection'
import { endpointFindings } from './findings/endpoints'
import { metadataFindings } from './findings/metadata'
import { signInFindings } from './findings/sign-in'
import type { Words } from './findings/words'

/** Everything that the doctor can find. docs/doctor.md has the same words. */
export const findings = {
  ...connectionFindings,
  ...answerFindings,
  ...apiFindings,
  ...metadataFindings,
  ...browserFindings,
  ...endpointFindings,
  ...signInFindings,
} as const satisfies Record<string, Words>

export type FindingCode = keyof typeof findings

/** The values that the words of a finding need. */
export type ValuesIn<Code extends FindingCode> = Record<
  NamesIn<(typeof findings)[Code]['says'] | (typeof findings)[Code]['remedy']>,
  string
>

/** The names in braces. A space makes it a block of nginx. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string} ${string}` ? never : Name) | NamesIn<Rest>
  : never
