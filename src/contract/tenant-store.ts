import type { JsonWebKeySet } from '../protocol/json-web-keys'

/** Pages of the company's own, as https addresses. */
export interface Links {
  /** Where customers begin. The error page leads back to it. */
  home?: string | undefined
  /** Where customers see what they have connected, and disconnect it. The consent page says so. */
  connectedApps?: string | undefined
  /** What the company does with a customer's data. Below each page; `op_policy_uri` and `resource_policy_uri` in metadata. */
  privacy?: string | undefined
  /** The terms of use. Below each page; `op_tos_uri` and `resource_tos_uri` in metadata. */
  terms?: string | undefined
  /** Who the company is, where the law requires it. Below each page. */
  imprint?: string | undefined
  /** Where customers get help. Below each page. */
  support?: string | undefined
  /** What developers of clients need to know. `service_documentation` and `resource_documentation` in metadata. */
  documentation?: string | undefined
}

/** The colours of the pages, each as `#rgb` or `#rrggbb`. One that is left out is that of this package. */
export interface ThemeColors {
  /** Around the card. */
  background?: string | undefined
  /** The card, on which everything is except the links. */
  card?: string | undefined
  /** The text, on the card and around it. The lines and the text of less weight are made from it. */
  text?: string | undefined
  /** The Allow button, and the outline of what has the focus. The text of the button becomes black or white. */
  accent?: string | undefined
}

/**
 * How the pages look.
 *
 * @example
 * { light: { accent: '#0b6e4f' }, dark: { accent: '#5fd3a5' }, radius: 4 }
 */
export interface Theme {
  /** The colours of the light page. Without `dark`, the page is light on every device. */
  light?: ThemeColors | undefined
  /** The colours of the dark page. Without `light`, the page is dark on every device. */
  dark?: ThemeColors | undefined
  /** The radius of the corners of the card, in pixels, from 0 to 24. Default 12. Those of the buttons have two thirds of it. */
  radius?: number | undefined
}

/** A company's logo: the https or data URL of a picture, or of one for light pages and one for dark ones. */
export type Logo = string | { readonly light: string; readonly dark: string }

/** A record as a database returns it: each member that can be absent can be null as well. */
export type NullableMembers<T> = { [K in keyof T]: undefined extends T[K] ? T[K] | null : T[K] }

/** When customers are asked for consent: at each sign-in, or only where none covers the request (docs/configuration.md#remembered-consent). */
export type AskConsent = 'always' | 'once'

/** A company that has set up customer sign-in, as the host's own data describes it. A member that is null counts as absent. */
export interface Tenant {
  /** The short name in the company's addresses: 1 to 64 of `A-Z a-z 0-9 . _ ~ -`. */
  key: string
  /**
   * Identifies the company in everything that is stored and issued. Must never change, and never be given to another company. Set it if a
   * key can ever pass from one company to another. Default: `key:` and the `key`; no id can begin with `key:`.
   */
  id?: string | undefined
  /**
   * The address of a domain of the company's own, such as `https://assistant.acme.com`, without a path. The `tenantStore` must have
   * `findTenantByHost`. Default: the company is at the option `baseUrl`, with its key in the paths.
   */
  baseUrl?: string | null | undefined
  /**
   * Addresses that the company had before, at which it is still served as it was, so that everybody who is connected there stays connected:
   * the option `baseUrl`, or domains of its own.
   */
  formerBaseUrls?: string[] | null | undefined
  /** The company's name, as its customers know it. */
  name?: string | null | undefined
  /** The company's logo for the pages: an https or data URL, or two: `{ light, dark }`. */
  logoUri?: Logo | null | undefined
  /**
   * The language of the company's pages: a tag, such as `de` (RFC 5646). Only a client that asks for another one gets it. Default: what the
   * customer's browser asks for.
   */
  locale?: string | null | undefined
  /** How the company's pages look. Takes the place of the whole option. */
  theme?: Theme | null | undefined
  /** Pages of the company's own. Each takes precedence over that of the option. */
  links?: NullableMembers<Links> | null | undefined
  /** The clients that the company has registered by hand. Without `authorization_code` in its `grantTypes`, one needs no `redirectUris`. */
  clients?:
    | (Omit<NullableMembers<Client>, 'redirectUris'> & { redirectUris?: string[] | null | undefined })[]
    | null
    | undefined
  /** What customers can grant here. Takes precedence over the option `scopes`. */
  scopes?: string[] | null | undefined
  /**
   * The protected APIs that tokens can be for, as absolute URLs, the default one first. Default: those that `protectedResource` announces,
   * then the tenant's issuer.
   */
  resources?: string[] | null | undefined
  /** Seconds, 1 to 3600. Takes precedence over the option `lifetimes.accessToken`. */
  accessTokenLifetime?: number | null | undefined
  /** Seconds, up to 30 days. Takes precedence over the option `lifetimes.refreshToken`. */
  refreshTokenLifetime?: number | null | undefined
  /** Whether clients can register themselves here. False takes precedence over the option `clients.registration`. */
  registration?: boolean | null | undefined
  /**
   * Whether clients can be identified here by the URL of their metadata document. False takes precedence over the option
   * `clients.documents`. Default: the `registration` of this record, because a company that lets no stranger's client register wants none with a document either.
   *
   * When you turn it off, new sign-ins of such clients are refused. What customers have connected works until it is revoked.
   */
  metadataDocuments?: boolean | null | undefined
  /** How often customers are asked for consent. Takes precedence over the option. */
  askConsent?: AskConsent | null | undefined
  /** The only clients that are allowed here, besides `clients`. Takes the place of the option `clients.allowed`. `{}` allows no others. */
  allowedClients?: NullableMembers<ClientRule> | null | undefined
  /** Clients that are not allowed here, besides those in the option `clients.blocked`. It takes precedence over `allowedClients`. */
  blockedClients?: NullableMembers<ClientRule> | null | undefined
  /**
   * Whose assertions sign customers and workloads in here (docs/identity-providers.md). Whoever can edit this list can be every customer of the
   * company. Default none.
   */
  trustedIssuers?: NullableMembers<TrustedIssuer>[] | null | undefined
  /**
   * Whether customers can connect only through a trusted issuer. Sign-ins by hand are refused, and so are refreshes of what was connected by
   * hand: it does not end, and works again once this is off. Default false.
   */
  enterpriseOnly?: boolean | null | undefined
  /**
   * Whether clients must prove a key with each request (DPoP, RFC 9449), so that a stolen token is worth nothing. Refreshes without a proof are
   * refused, and APIs refuse access tokens without a key; nothing ends. Default false: few assistants can do it yet.
   */
  requireDpop?: boolean | null | undefined
}

/**
 * An issuer of assertions that a company trusts: its own identity provider, or one that vouches for workloads (RFC 7523, ID-JAG).
 *
 * @example
 * { issuer: 'https://acme.okta.com', subject: 'email' }
 */
export interface TrustedIssuer {
  /** What the assertions have as `iss`, to the letter: an https address without query and fragment. */
  issuer: string
  /** Where its keys are, as an https address. Default: what the metadata of the issuer says (RFC 8414, OpenID Connect Discovery). */
  jwksUri?: string | undefined
  /** The algorithms that it may sign with. Default: ES256, ES384, RS256, PS256 and EdDSA. */
  algorithms?: string[] | undefined
  /** Whom it vouches for: a `customer`, or a `workload`, such as an agent or a service, which is nobody's customer. Default `customer`. */
  kind?: 'customer' | 'workload' | undefined
  /**
   * The claim that is your own id of the customer, such as `email`; or `customerOf`, if the option of that name finds the customer. It has no
   * default for customers, because most issuers have a `sub` of their own numbering. Default for workloads: `sub`.
   */
  subject?: string | undefined
  /**
   * What an assertion must say, by the name of the claim: this value, or one of these. It is required for workloads, and for issuers that
   * serve more companies than this one: without it, every customer of such an issuer would be let in.
   */
  claims?: Readonly<Record<string, string | number | boolean | readonly string[]>> | undefined
  /** The only clients that may present its assertions, by their ids. Default: every client that the company allows. */
  clients?: string[] | undefined
  /** The most that its assertions give. Default: all scopes that the company offers. */
  scopes?: string[] | undefined
  /** The protected APIs that its assertions are good for, as absolute URLs. Default: all of the company. */
  resources?: string[] | undefined
  /** The most seconds since an assertion was issued, 60 to 3000. Default 600. */
  maxAge?: number | undefined
}

/**
 * Clients that a company allows or blocks. It is about clients that introduce themselves: the company's own are always allowed. Each list that
 * is left out is empty.
 */
export interface ClientRule {
  /** Single clients: the address of a metadata document, or the id of a client that registered itself. */
  clientIds?: readonly string[] | undefined
  /** All clients with a metadata document at one of these hosts, such as `claude.ai`. A subdomain is another host. */
  documentHosts?: readonly string[] | undefined
  /**
   * Clients by where their redirect URIs lead: a host, `localhost` for every loopback address, or the scheme of an app with its colon, such
   * as `cursor:`. A client that registered itself is allowed if all of its redirect URIs lead to these, and a client is blocked if one of
   * them does.
   */
  redirectHosts?: readonly string[] | undefined
}

/**
 * What a client authenticates with at the token endpoint, if the option `clients.authentication` allows it. A client that has any of it must
 * authenticate; a client without is public (RFC 6749 section 2.1).
 */
export interface ClientCredentials {
  /** The hashes of the client's secrets, which `newClientSecret` makes: at most 5, so that one can replace another. */
  secretHashes?: string[] | undefined
  /** The public keys that the client signs its assertions with (RFC 7517), if `jwksUri` does not say where they are. */
  jwks?: JsonWebKeySet | undefined
  /** The https address of these keys. */
  jwksUri?: string | undefined
}

/** What a client says about itself (RFC 7591 section 2), and what it authenticates with. */
export interface ClientMetadata extends ClientCredentials {
  /** The name that the consent page shows. */
  clientName?: string | undefined
  /** The address of the client's own web page. */
  clientUri?: string | undefined
  /** Where authorization codes may be sent. Compared as exact text, except the port of a loopback address, and `/` in place of no path. Only needed for `authorization_code`. */
  redirectUris: string[]
  /**
   * For a client of the tenant's own, the most that it may ask for; by default all scopes that the tenant offers. For other clients, what
   * they have named for themselves, as far as the tenant offers it: that limits nothing.
   */
  scopes?: string[] | undefined
  /** Whether the client always proves a key (RFC 9449 section 5.2): without a proof, it gets no tokens. */
  dpopBoundAccessTokens?: boolean | undefined
}

/** An OAuth client. It is public, unless it has secrets or keys (RFC 6749 section 2.1). */
export interface Client extends ClientMetadata {
  /** What the client sends as `client_id`. */
  clientId: string
  /**
   * What the client may send as `grant_type`. Default: `authorization_code`, `refresh_token` and
   * `urn:ietf:params:oauth:grant-type:jwt-bearer`, which takes an assertion of a trusted issuer. With `client_credentials`, which the client
   * must authenticate for, it gets tokens for itself.
   */
  grantTypes?: string[] | undefined
  /**
   * Whether this is the company's own app: its customers are not asked for consent, unless it wants that with `prompt=consent`. Only for a
   * client that nobody can impersonate.
   */
  firstParty?: boolean | undefined
  /** How often customers are asked for consent to this client. Takes precedence over the tenant's record. */
  askConsent?: AskConsent | undefined
}

/** A copy of the metadata document of an assistant, for when the document itself cannot be fetched. */
export interface KnownAssistant {
  /** The document. Its `client_id` is its address. */
  document: {
    client_id: string
    client_name: string
    redirect_uris: readonly string[]
    readonly [member: string]: unknown
  }
  /** Where the copy can be checked: a public address. */
  source?: string | undefined
  /** The day of the copy, such as `2026-09-21`. */
  date?: string | undefined
}

/**
 * The host's own data about its tenants. This library only reads it, once for each request by its key, and once by its host where that decides.
 * If a look-up is slow, the host should cache it.
 */
export interface TenantStore {
  /**
   * Finds a tenant by the key in its addresses.
   *
   * @returns The tenant; null or undefined (answered with 404) if there is none or it has not set up customer sign-in.
   * A rejection is answered with 503.
   */
  findTenant(tenantKey: string): Tenant | null | undefined | Promise<Tenant | null | undefined>

  /**
   * Finds a tenant by the domain of its own, if companies can have one.
   *
   * @param host The host of its `baseUrl` or of one of its `formerBaseUrls`, as `URL.host` spells it: in lower case, with the port if it is
   * not the default one. Anybody can send a request with any host.
   * @returns The tenant; null or undefined if no company has this host. A rejection is answered with 503.
   */
  findTenantByHost?(host: string): Tenant | null | undefined | Promise<Tenant | null | undefined>
}
