/** No browser takes a response for another type than it says (Fetch section 3.6). Every response of this library has it. */
export const nosniff = { 'X-Content-Type-Options': 'nosniff' }

/**
 * For what a customer's browser is shown on its way: clients open it in a window of their own and wait for that window to close. Any other
 * policy, as middleware in front may have set for the whole host, would part the two for good, on each page and each redirect.
 */
export const keepsOpener = { 'Cross-Origin-Opener-Policy': 'unsafe-none' }
