import { must, optional } from '../configuration/checks'

/** Checks who makes a call, for the events of the call. The error quotes nothing: hosts may pass on what somebody has typed. */
export const actor = optional(
  must<string>(
    'a string of 1 to 200 characters without control characters, or omitted',
    (given) => typeof given === 'string' && /^\P{Cc}{1,200}$/u.test(given),
  ),
)
