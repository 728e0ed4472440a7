// More than 300 lines: one table, and most of it says where each word is shown.

import { type Html, html } from './html'

/**
 * Everything that the pages say, in one language. Each word is plain text. What a sentence is about stands in braces, such as `{client}`;
 * another language can put it at another place.
 */
export interface Words {
  /** The words of the default of the option `scopes`. */
  scopes: {
    /** The scope `profile`. */
    profile: string
  }
  /** The consent page. */
  consent: {
    /** The heading, and the title of the page: `{client}`, `{tenant}`. */
    question: string
    /** The heading when the customer is asked a second time. It has no name, so that the buttons below it are always at the same place. */
    confirm: string
    /** The title of the page when the customer is asked a second time: `{question}`. */
    confirmTitle: string
    /** Quotes a name that nobody vouches for, in the title of a page, between marks that no such name has: `{name}`. */
    quote: string
    /** Who the customer is: `{customer}`. */
    signedInAs: string
    /** The button with which the customer logs in with another account. */
    otherAccount: string
    /** Introduces the list of scopes: `{client}`. */
    scopes: string
    /** When a connection ends that each use renews: `{time}`. */
    unused: string
    /** How long another connection lasts: `{time}`. */
    lasts: string
    /** Where the customer can end it: `{apps}`, the link to `links.connectedApps`. */
    disconnect: string
    /** Labels the host that publishes the client's metadata document. */
    publisher: string
    /** Labels the host or app that receives the code. */
    destination: string
    /** A destination on loopback: `{host}`. */
    appOnDevice: string
    /** A destination with a private-use URI scheme: `{address}`. */
    appThatOpens: string
    /** A destination on a device of the customer's, in a list of connected apps. */
    onDevice: string
    /** The warning about a client that can only be an app on this device, where any other app can take its name: `{client}`. */
    anyAppOnDevice: string
    /** The caution about a name whose words have letters of several scripts, which look alike. */
    mixedLetters: string
    /** The caution about a client whose name nobody vouches for: `{tenant}`. */
    notChecked: string
    /** What comes before it if the client's document is that of a known assistant: `{client}`, `{publisher}`. */
    known: string
    /** What comes after it. */
    allowIfAsked: string
    /** The button that allows the request. */
    allow: string
    /** The button that refuses it. */
    deny: string
    /** What a customer reads whose Tab key was faster than the page: `{deny}`, the button to go back to. */
    tooSoon: string
  }
  /** The error page. */
  error: {
    /** The heading, and the title of the page. */
    title: string
    /** What has happened when the client's metadata document cannot be fetched. */
    noAnswer: string
    /** What to do when the fault is on this side. */
    tryAgain: string
    /** The link that repeats the request. */
    repeat: string
    /** What to do when the fault is in the request. */
    goBack: string
    /** What to do when a rule of the company keeps the client out: `{tenant}`. */
    notAllowed: string
    /** What to do when the app is not known, or no longer. */
    unknownApp: string
    /** What to do when the address that the customer is to be sent to is not the app's. */
    wrongAddress: string
    /** What to do when there is no company at the address of the request. */
    noCompany: string
    /** Introduces what the client's developer needs to know, which is in English: `{error}`. */
    forDeveloper: string
  }
  /** The page of connected apps. */
  connected: {
    /** The heading, and the title of the page. */
    title: string
    /** Introduces the list: `{tenant}`. */
    intro: string
    /** In place of an empty list: `{tenant}`. */
    none: string
    /** Labels how long ago an app was connected. */
    since: string
    /** Labels how long ago it was last used. */
    lastUsed: string
    /** Labels the hosts and apps to which the app's sign-ins lead. */
    destinations: string
    /** Introduces what the app may do. */
    may: string
    /** What an app is that the company's own sign-in has connected: `{tenant}`. */
    managed: string
    /** The button that disconnects an app. */
    disconnect: string
    /** The button that disconnects all. */
    disconnectAll: string
    /** The question before an app is disconnected: `{client}`, `{tenant}`. */
    question: string
    /** The question before one of several sign-ins of an app ends: `{client}`, `{tenant}`. */
    questionOne: string
    /** The question before all are: `{tenant}`. */
    questionAll: string
    /** What happens then: `{time}`. */
    effect: string
    /** What the customer can still do then. */
    again: string
    /** The button that goes back. */
    cancel: string
    /** The link to the next part of a long list. */
    more: string
    /** The heading above the sign-ins of an app: `{count}`. */
    signIns: string
  }
  /** The page "Connect an assistant". */
  connect: {
    /** The heading, and the title of the page. */
    title: string
    /** What the page is for: `{tenant}`. */
    intro: string
    /** In place of an empty list: `{tenant}`. */
    none: string
    /** The heading of the list of assistants. */
    which: string
    /** The button that copies a text. */
    copy: string
    /** The same when it has. */
    copied: string
    /** Labels the address: `{tenant}`. */
    address: string
    /** The link that opens an assistant: `{app}`. */
    open: string
    /** Labels a command. */
    command: string
    /** Labels what to add to a file: `{file}`. */
    file: string
    /** Labels the id of a client. */
    clientId: string
  }
  /**
   * What a customer does to connect an assistant. In the slots stand names of the assistant's own, in quotation marks, except for its name:
   * `{app}`.
   */
  steps: {
    /** Runs the command that the page shows. */
    run: string
    /** Logs in, and allows the access. */
    logIn: string
    /** The same where the assistant opens the browser: `{app}`. */
    logInFrom: string
    /** What to run otherwise: `{command}`. */
    ifNoBrowser: string
    /** Opens a dialog that is filled in: `{app}`. */
    dialog: string
    /** Enters the id of the client there: `{menu}`, `{field}`. */
    clientIdInDialog: string
    /** Presses two buttons: `{button}`, `{next}`. */
    press: string
    /** Who adds a connector for several people. */
    ownerFirst: string
    /** Opens a list of plugins: `{choice}`, and the switch without which it is not there, `{mode}`. */
    plugins: string
    /** Fills in a form: `{field}`, and what to choose in a list, `{choice}` and `{list}`. */
    form: string
    /** Enters the id of the client in a part of the form: `{part}`. */
    clientIdIn: string
    /** Confirms a warning: `{button}`. */
    create: string
    /** Starts an assistant in a terminal: `{app}`, `{command}`, `{choice}`. */
    start: string
    /** The same where the command needs the name of the server: `{app}`, `{command}`. */
    startWithName: string
    /** Runs a command that needs the name of the server: `{command}`. */
    runWithName: string
    /** Opens a link that installs the server: `{app}`. */
    install: string
    /** The same where a file can be used in place of the link: `{app}`. */
    installOrAdd: string
    /** Starts the server. */
    trust: string
    /** Adds to a file, and starts the assistant: `{app}`. */
    addAndStart: string
    /** Adds to the settings: `{app}`. */
    addToSettings: string
    /** Presses a button in the settings: `{menu}`, `{app}`, `{button}`. */
    authenticate: string
  }
  /** The page for the staff of a company. */
  administration: {
    /** The heading, and the title of the page. */
    title: string
    /** Introduces the list of apps: `{tenant}`. */
    intro: string
    /** In place of an empty list: `{tenant}`. */
    none: string
    /** Labels how many customers have connected an app. */
    customers: string
    /** A number that is not counted to its end: `{count}`. */
    moreThan: string
    /** The question before an app is disconnected from everybody: `{client}`, `{tenant}`. */
    endAppQuestion: string
    /** Labels the id of a customer. */
    customer: string
    /** The question before a customer's apps are disconnected. */
    endCustomerQuestion: string
    /** What is wrong with an id that is no customer's. */
    unknownCustomer: string
    /** Labels how many sign-ins a customer has connected. */
    connections: string
    /** The heading above the customers who have so many that not all are counted. */
    manyConnections: string
    /** How many are: `{count}`. */
    manyCounted: string
    /** The button that disconnects everybody. */
    endAll: string
    /** The question before that: `{tenant}`. */
    endAllQuestion: string
    /** The heading above the rules. */
    rules: string
    /** The rule of a company that has named no apps. */
    allAllowed: string
    /** Introduces the apps that are allowed. */
    onlyAllowed: string
    /** Introduces the apps that are blocked. */
    blocked: string
    /** Labels the choice of how an app is named. */
    by: string
    /** Labels what names it. */
    value: string
    /** What is wrong with something that names none. */
    wrongValue: string
    /** The button that blocks. */
    block: string
    /** The question before. What it is about is in a row of its own, as with the others. */
    blockQuestion: string
    /** What happens then, as when it is removed from what is allowed. */
    blockEffect: string
    /** The button that unblocks. */
    unblock: string
    /** The question before. */
    unblockQuestion: string
    /** The question before something is allowed. */
    allowQuestion: string
    /** What happens when it is the first. */
    allowEffect: string
    /** The button that takes something off the list of what is allowed. */
    remove: string
    /** The question before. */
    removeQuestion: string
    /** What happens when it is the last. */
    nothingAllowed: string
    /** The button that allows every app again. */
    allowAll: string
    /** The question before. */
    allowAllQuestion: string
    /** The heading above the company's trusted issuers: `{tenant}`. */
    issuers: string
  }
  /** The links of the pages. */
  links: {
    /** The link to `links.privacy`. */
    privacy: string
    /** The link to `links.terms`. */
    terms: string
    /** The link to `links.imprint`. */
    imprint: string
    /** The link to `links.support`. */
    support: string
    /** The link to `links.home`: `{tenant}`. */
    home: string
  }
}

/** The words of one language that a host replaces or adds. Those of scopes are in the option `scopes`. */
export type ReplacedWords = {
  readonly [Page in Exclude<keyof Words, 'scopes'>]?:
    | { readonly [Word in keyof Words[Page]]?: string | undefined }
    | undefined
}

/** Puts parts into a sentence, in place of their names in braces. Everything that is not HTML already is escaped. */
export function sentence(words: string, parts: Readonly<Record<string, string | Html>>): Html {
  const pieces = words.split(/\{(\w+)\}/).map((piece, index) => html`${index % 2 === 1 ? parts[piece] : piece}`)
  return html`${pieces}`
}

/** The names in braces in a sentence, in alphabetical order. */
export function partsIn(words: string): string[] {
  const names = [...words.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
  return [...new Set(names)].sort()
}

/**
 * Quotation marks, and what looks like one. The title of a page has a name that nobody vouches for between two of them, and no such name keeps
 * one. The single marks that are apostrophes too are not among them, but two in a row look like one.
 */
const marks =
  '"“”„‟«»‹›〝〞〟＂ʺˮ″‶❝❞⹂「」『』｢｣﹁﹂﹃﹄⌈⌉⌊⌋⌜⌝⌞⌟《》〈〉︽︾︿﹀≪≫⟪⟫⟨⟩❮❯❰❱˝״〃\u{1f676}\u{1f677}\u{1f678}'
const apostrophes = "'`´‘’‚‛′‵ʹʻʼʽʾʿˈˊˋ˴՚׳ߴߵ᳓ꞌ❛❜❟"

/** Each quotation mark in a text: one character, or marks and apostrophes in a row, with whatever joins or crosses them. */
export const quotationMarks = new RegExp(`(?:[${marks}${apostrophes}][\\p{M}\\u200c\\u200d]*){2,}|[${marks}]`, 'gu')

/** Whether a word is `{name}` between quotation marks, at least one on each side, with or without spaces. */
export function isQuotation(word: string): boolean {
  return new RegExp(`^\\s*[${marks}][${marks}\\s]*\\{name\\}[${marks}\\s]*[${marks}]\\s*$`, 'u').test(word)
}
