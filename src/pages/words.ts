import { type Html, html } from './html'

/** A name or another word that is put into a sentence: plain text, or a piece of HTML around it. */
type Part = string | Html

/** Everything that the pages say, in one language. Another language is another object of this type. */
export interface Words {
  /** The language tag of the page (RFC 5646). */
  language: string
  /** The default of the option `scopes`. */
  scopes: Readonly<Record<string, string>>
  consent: {
    /** The heading, and the title of the page. */
    question(client: Part, tenant: Part): Html
    /** The heading when the customer is asked a second time. */
    confirm: string
    /** The title of the page when the customer is asked a second time. */
    confirmTitle(question: Html): Html
    /** Quotes a name that nobody vouches for. `presentableName` must replace these quotation marks in names. */
    quote(name: Part): Html
    signedInAs(customer: Part): Html
    /** Introduces the list of scopes. */
    scopes(client: Part): Html
    /** Labels the host that publishes the client's metadata document. */
    publisher: string
    /** Labels the host or app that receives the code. */
    destination: string
    /** A destination on loopback. */
    appOnDevice(host: string): Html
    /** A destination with a private-use URI scheme. */
    appThatOpens(address: string): Html
    /** The warning about a client that can only be an app on this device: any other app there can take its name. */
    anyAppOnDevice(client: Part): Html
    /** The caution about a client whose name nobody vouches for. */
    notChecked(tenant: Part): Html
    allow: string
    deny: string
    /** The last stop of the Tab key. */
    end: string
  }
  error: {
    title: string
    /** What has happened when the client's metadata document cannot be fetched. */
    noAnswer: string
    tryAgain: string
    /** The link that repeats the request. */
    repeat: string
    goBack: string
    /** For the client's developer: what is wrong, and the OAuth error code. */
    forDeveloper(description: string, code: string): Html
  }
}

/** The words of the pages in English. */
export const english: Words = {
  language: 'en',
  scopes: { profile: 'Know who you are' },
  consent: {
    question: (client, tenant) => html`Connect ${client} to ${tenant}?`,
    confirm: 'Please confirm',
    confirmTitle: (question) => html`Please confirm: ${question}`,
    quote: (name) => html`“${name}”`,
    signedInAs: (customer) => html`You are signed in as ${customer}.`,
    scopes: (client) => html`${client} will be able to:`,
    publisher: 'Published by',
    destination: 'You will be sent to',
    appOnDevice: (host) => html`an app on this device (${host})`,
    appThatOpens: (address) => html`the app on this device that opens ${address}`,
    anyAppOnDevice: (client) =>
      html`Any app on this device can pretend to be ${client}. Go on only if you have started it yourself.`,
    notChecked: (tenant) =>
      html`${tenant} has not checked this app. Allow it only if you have just asked it to connect.`,
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
    forDeveloper: (description, code) => html`For the maker of the app: ${description} (${code}).`,
  },
}
