/** Keeps browsers from guessing a type other than `Content-Type` (Fetch section 3.6). Every response of this library has this header. */
export const nosniff = { 'X-Content-Type-Options': 'nosniff' }

/**
 * Every page and redirect of the sign-in has this header: clients in a browser open the sign-in in a new window and wait for that window
 * to close. Any other policy, such as one that middleware has set for the whole host, would separate the two windows for good.
 */
export const keepsOpener = { 'Cross-Origin-Opener-Policy': 'unsafe-none' }
