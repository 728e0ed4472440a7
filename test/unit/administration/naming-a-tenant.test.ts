import { started } from '../../support/started'

describe('a call that names a tenant', () => {
  it.each([
    ['grants', 'list', { subject: 'ada' }],
    ['grants', 'list', { anyCustomer: true }],
    ['grants', 'export', { subject: 'ada' }],
    ['grants', 'revoke', { subject: 'ada', grantId: 'a-grant' }],
    ['grants', 'revokeAll', { subject: 'ada' }],
    ['tenants', 'end', {}],
    ['tenants', 'erase', {}],
  ] as const)('says that it must be named in one way: %s.%s', async (of, method, rest) => {
    const { signIn } = await started()
    const calls = signIn[of] as unknown as Record<string, (named: object) => Promise<unknown>>
    for (const tenant of [{}, { tenantKey: 'acme', tenantId: 'company-1' }]) {
      await expect(calls[method]?.({ ...tenant, ...rest })).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringContaining(`${of}.${method} must have a tenantKey or a tenantId, and not both`),
      })
    }
  })
})
