import { sharedIssuers } from '../../../src/trusted-issuers/shared-issuers'

const pinnedBy = (issuer: string) => sharedIssuers.find(({ isIt }) => isIt(issuer))?.pinnedBy

describe('the issuers that serve many companies', () => {
  it.each(sharedIssuers)('were read about at a public address, on a day: $source', ({ source, date }) => {
    expect(source).toMatch(/^https:\/\/[\w.-]+\/\w/)
    expect(date).toMatch(/^20\d\d-\d\d-\d\d$/)
  })

  const ofRepository = [
    'repository_owner_id',
    'repository_id',
    'enterprise_id',
    'repository_owner',
    'repository',
    'sub',
  ]
  const ofProject = ['namespace_id', 'project_id', 'namespace_path', 'project_path', 'sub']
  it.each([
    ['https://identity.anthropic.com/agents', ['tenant']],
    ['https://identity.anthropic.com/agents/', ['tenant']],
    ['https://accounts.google.com', ['hd']],
    ['https://token.actions.githubusercontent.com', ofRepository],
    ['https://gitlab.com', ofProject],
    ['https://login.microsoftonline.com/common/v2.0', []],
    ['https://LOGIN.microsoftonline.com/organizations', []],
    ['https://login.windows.net/consumers/', []],
    ['https://sts.windows.net/{tenantid}/', []],
    ['https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0', []],
  ])('include %s, of which one of these claims says the company: %j', (issuer, claims) => {
    expect(pinnedBy(issuer)).toEqual(claims)
  })

  it.each([
    'https://identity.anthropic.com/issuers/org_1',
    'https://gitlab.com/acme',
    'https://login.microsoftonline.com/0e1b4f2a-1111-2222-3333-444455556666/v2.0',
    'https://login.microsoftonline.com/commons',
    'https://acme.example/https://login.microsoftonline.com/common',
  ])('do not include %s', (issuer) => {
    expect(pinnedBy(issuer)).toBeUndefined()
  })
})
