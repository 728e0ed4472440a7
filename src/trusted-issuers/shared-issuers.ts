/** An issuer that serves many companies: its assertions say by a claim which of them they are about. */
interface SharedIssuer {
  isIt(issuer: string): boolean
  /** The claims of which one must be pinned. None for an issuer that says of no company. */
  pinnedBy: readonly string[]
  /** Where this was read, and when. */
  source: string
  date: string
}

const exactly = (address: string) => (issuer: string) => issuer.replace(/\/$/, '') === address

/** The issuers that are known to serve many companies. Of any other one, this library takes the company's word that it is the company's own. */
export const sharedIssuers: readonly SharedIssuer[] = [
  {
    // Claude's agents, of all organizations. People come by an issuer of their organization's own, `https://identity.anthropic.com/issuers/…`.
    isIt: exactly('https://identity.anthropic.com/agents'),
    pinnedBy: ['tenant'],
    source: 'https://claude.com/docs/connectors/building/enterprise-managed-auth',
    date: '2026-11-23',
  },
  {
    isIt: exactly('https://accounts.google.com'),
    pinnedBy: ['hd'],
    source: 'https://developers.google.com/identity/openid-connect/openid-connect',
    date: '2026-11-26',
  },
  {
    // Tokens of an organization have an issuer with the id of its tenant. These are the addresses for all, and the tenant of personal accounts.
    isIt: (issuer) =>
      /^https:\/\/(?:login\.microsoftonline\.com|login\.windows\.net|sts\.windows\.net)\/(?:common|organizations|consumers|9188040d-6c67-4c5b-b112-36a304b66dad|\{tenantid\})(?:\/|$)/i.test(
        issuer,
      ),
    pinnedBy: [],
    source: 'https://learn.microsoft.com/en-us/entra/identity-platform/access-tokens',
    date: '2026-11-26',
  },
  {
    isIt: exactly('https://token.actions.githubusercontent.com'),
    pinnedBy: ['repository_owner_id', 'repository_id', 'enterprise_id', 'repository_owner', 'repository', 'sub'],
    source: 'https://docs.github.com/en/enterprise-cloud@latest/actions/reference/security/oidc',
    date: '2026-11-26',
  },
  {
    isIt: exactly('https://gitlab.com'),
    pinnedBy: ['namespace_id', 'project_id', 'namespace_path', 'project_path', 'sub'],
    source: 'https://docs.gitlab.com/ci/secrets/id_token_authentication',
    date: '2026-11-26',
  },
]
