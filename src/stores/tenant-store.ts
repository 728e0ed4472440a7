/** A company that has set up customer sign-in, as the host's own data describes it. */
export interface Tenant {
  /** The short name in the company's addresses: 1 to 64 of `A-Z a-z 0-9 . _ ~ -`. */
  key: string
  /**
   * Never changes and is never given to another company; partitions everything stored and issued, as it is given. By default `key:` and
   * the `key`, which no id can begin with.
   * Set it if a key can ever pass from one company to another.
   */
  id?: string | undefined
  /** The company's name as its customers know it. */
  name?: string | undefined
  /** The company's logo for the consent page: an https or data URL. */
  logoUri?: string | undefined
  /** The clients that the company has registered by hand. */
  clients?: Client[] | undefined
  /** What customers can grant here; wins over the option `scopes`. */
  scopes?: string[] | undefined
  /**
   * The protected APIs that tokens can be for, as absolute URLs, the default one first. By default those that `protectedResource`
   * announces, then the tenant's issuer.
   */
  resources?: string[] | undefined
  /** Seconds, 1 to 3600; wins over the option. */
  accessTokenLifetime?: number | undefined
  /** Seconds, up to 30 days; wins over the option. */
  refreshTokenLifetime?: number | undefined
  /** Whether clients can register themselves here; wins over the option where that is on. */
  registration?: boolean | undefined
  /**
   * Whether a client can be known here by the address of its metadata document; wins over the option where that is on. By default as
   * `registration` of this record: a company that takes no strangers' clients takes none of either kind. Turned off, new sign-ins are
   * refused; what customers have connected goes on until it is revoked.
   */
  metadataDocuments?: boolean | undefined
}

/** An OAuth client. Every client is public: it has no secret (RFC 6749 section 2.1). */
export interface Client {
  /** What it sends as `client_id`. */
  clientId: string
  /** The name that a customer knows it by. */
  clientName?: string | undefined
  /** Its own page, as it says itself. */
  clientUri?: string | undefined
  /** Where authorization codes may be sent. Compared as exact text, except the port of a loopback address. */
  redirectUris: string[]
  /** What it may send as `grant_type`. By default both, `authorization_code` and `refresh_token`. */
  grantTypes?: string[] | undefined
  /** The most that this client may ask for. By default all that the tenant offers. */
  scopes?: string[] | undefined
  /** The company's own app, whose customers are not asked for consent. Only for a client that nobody else can pass for. */
  firstParty?: boolean | undefined
}

/**
 * The host's own data about its tenants. This library only reads it, once for each request, so a host whose look-up is
 * slow should cache it.
 */
export interface TenantStore {
  /**
   * Finds a tenant by the key in its addresses.
   *
   * @param tenantKey As the request has it: 1 to 64 of `A-Z a-z 0-9 . _ ~ -`, and neither `.` nor `..`.
   * @returns The tenant; null or undefined (answered with 404) when there is none or it has not set up customer sign-in.
   * A rejection is answered with 503.
   */
  findTenant(tenantKey: string): Tenant | null | undefined | Promise<Tenant | null | undefined>
}
