import type { Words } from '../words'

/** The words of the pages in English. */
export const english: Words = {
  scopes: { profile: 'Know who you are' },
  consent: {
    question: 'Connect {client} to {tenant}?',
    confirm: 'Please confirm',
    confirmTitle: 'Please confirm: {question}',
    quote: '“{name}”',
    signedInAs: 'You are signed in as {customer}.',
    otherAccount: 'Use another account',
    scopes: '{client} will be able to:',
    publisher: 'Published by',
    destination: 'You will be sent to',
    appOnDevice: 'an app on this device ({host})',
    appThatOpens: 'the app on this device that opens {address}',
    onDevice: 'an app on a device',
    anyAppOnDevice: 'Any app on this device can pretend to be {client}. Go on only if you have started it yourself.',
    notChecked: '{tenant} has not checked this app. Allow it only if you have just asked it to connect.',
    allow: 'Allow',
    deny: 'Deny',
    end: 'End of the page',
  },
  error: {
    title: 'Sign-in cannot go on',
    noAnswer:
      'Every app of this kind has an address where we look it up. This time that address did not answer. Nothing is wrong with your account.',
    tryAgain: 'Please try again in a moment.',
    repeat: 'Try again',
    goBack: 'Please go back to the app that you came from, and connect it again.',
    notAllowed: '{tenant} does not allow this app to connect. If you need it, please ask {tenant}.',
    forDeveloper: 'For the maker of the app: {error}',
  },
  links: { privacy: 'Privacy', terms: 'Terms', imprint: 'Legal notice', support: 'Help' },
}
