import type { Words } from '../words'

/** The words of the pages in English. */
export const english: Words = {
  scopes: { profile: 'Know who you are' },
  consent: {
    question: 'Connect {client} to {tenant}?',
    confirm: 'Are you sure that you want to connect this app?',
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
    known:
      'This is {client}, at {publisher}. {tenant} has not checked it. Allow it only if you have just asked it to connect.',
    allow: 'Allow',
    deny: 'Deny',
    end: 'End of the page',
  },
  error: {
    title: 'Sign-in did not work',
    noAnswer:
      'Every app of this kind has an address where we look it up. This time that address did not answer. Nothing is wrong with your account.',
    tryAgain: 'Please try again in a moment.',
    repeat: 'Try again',
    goBack: 'Please go back to the app that you came from, and connect it again.',
    notAllowed: '{tenant} does not allow this app to connect. If you need it, please ask {tenant}.',
    unknownApp: 'This app is not known here. Please remove the connection in the app, and connect it again.',
    wrongAddress:
      'The app wants to send you to an address that is not one of its own. This may be a trick. Please do not try again, and ask the maker of the app.',
    noCompany: 'There is no company at this address. Please check the address that you have entered in the app.',
    forDeveloper: 'For the maker of the app: {error}',
  },
  connected: {
    title: 'Connected apps',
    intro: 'What you have connected to {tenant}:',
    none: 'You have connected no apps to {tenant}.',
    since: 'Connected',
    lastUsed: 'Last used',
    destinations: 'Sign-ins end at',
    may: 'It can:',
    managed: 'The sign-in of {tenant} has connected this app, and can connect it again.',
    disconnect: 'Disconnect',
    disconnectAll: 'Disconnect all',
    question: 'Disconnect {client} from {tenant}?',
    questionAll: 'Disconnect all apps from {tenant}?',
    effect: 'Access ends in {time} at the latest. You can connect again at any time.',
    cancel: 'Cancel',
  },
  links: { privacy: 'Privacy', terms: 'Terms', imprint: 'Legal notice', support: 'Help', home: 'Back to {tenant}' },
}
