import { started } from '../../support/started'

describe('a call that names a company', () => {
  it.each([
    ['grants', 'list', { subject: 'ada' }],
    ['grants', 'page', {}],
    ['grants', 'revoke', { grantId: 'a-grant' }],
    ['grants', 'revokeAll', { subject: 'ada' }],
    ['customers', 'export', { subject: 'ada' }],
    ['customers', 'erase', { subject: 'ada' }],
  ] as const)('says that it must be named in one way: %s.%s', async (of, method, rest) => {
    const { signIn } = await started()
    const calls = signIn[of] as unknown as Record<string, (named: object) => Promise<unknown>>
    for (const company of [{}, { tenantKey: 'acme', tenantId: 'company-1' }]) {
      await expect(calls[method]?.({ ...company, ...rest })).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringContaining(`${of}.${method} must have a tenantKey or a tenantId, and not both`),
      })
    }
  })
})
