import { AssistantSession } from '../../../support/assistant-session'
import type { McpConnection } from '../../../support/mcp-connection'
import type { BurstSite } from './site'

/** Keeps the tokens that the SDK saved last, as an app with the SDK does, and counts how often the SDK asks for a sign-in. */
class CountingSession extends AssistantSession {
  signIns = 0

  override redirectToAuthorization(authorizationUrl: URL): void {
    this.signIns++
    super.redirectToAuthorization(authorizationUrl)
  }
}

/** How a version of the SDK connects. */
export type Connect = (server: string, session: CountingSession) => McpConnection

/** A customer's assistant: several connections, as of several chats, with one session for all of them. */
export class Assistant {
  readonly #session: CountingSession
  readonly #site: BurstSite
  readonly #connections: readonly McpConnection[]

  private constructor(session: CountingSession, site: BurstSite, connections: readonly McpConnection[]) {
    this.#session = session
    this.#site = site
    this.#connections = connections
  }

  /** Starts an assistant whose customer has just signed in. */
  static async connected(connect: Connect, site: BurstSite, connections = 1): Promise<Assistant> {
    const session = new CountingSession(site.issuer)
    const signedOut = connect(site.mcp, session)
    const refused = await signedOut.open().catch(String)
    if (session.signIns === 0) throw new Error(`The SDK has not asked for a sign-in: ${refused}`)
    const callback = await site.host.browse(session.authorizationUrl)
    await signedOut.finishSignIn(callback.searchParams)
    await signedOut.close()
    session.signIns = 0
    const opened = Array.from({ length: connections }, () => connect(site.mcp, session))
    await Promise.all(opened.map((connection) => connection.open()))
    return new Assistant(session, site, opened)
  }

  /** The refresh token that the assistant keeps. */
  get refreshToken(): string {
    return this.#session.tokens()?.refresh_token ?? ''
  }

  /** The access token that the assistant keeps. */
  get accessToken(): string {
    return this.#session.tokens()?.access_token ?? ''
  }

  /** Whether the refresh token that the assistant keeps has been redeemed already, because a late response has overwritten a newer one. */
  get keepsOlderToken(): boolean {
    return this.#site.front.redeemed.has(this.refreshToken)
  }

  /** Whether the SDK has asked the customer to sign in again. */
  get isSignedOut(): boolean {
    return this.#session.signIns > 0
  }

  /** Sends one request whose access token is refused, so that the SDK refreshes. Fails unless the request is answered then. */
  async refreshingCall([connection] = this.#connections): Promise<void> {
    this.#site.front.expire(this.#session.tokens()?.access_token ?? '')
    const answer = JSON.stringify(await connection?.whoAmI())
    if (!answer?.includes('customer-1')) throw new Error(`The answer is not the customer's: ${answer}`)
  }

  /** Sends this many such requests at once. @returns How many of them failed. */
  async burst(size: number): Promise<number> {
    const connectionOf = (index: number) => this.#connections.slice(index % this.#connections.length)
    const calls = Array.from({ length: size }, (_, index) => this.refreshingCall(connectionOf(index)))
    return (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected').length
  }

  /** Whether one such request gets an answer. */
  refreshes(): Promise<boolean> {
    return this.refreshingCall().then(
      () => true,
      () => false,
    )
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()))
  }
}
