import { AssertedGrants } from '../../../src/trusted-issuers/asserted-grants'

describe('the assertions of one company', () => {
  it('have a share of each minute, and another company has its own', () => {
    const asserted = new AssertedGrants({} as never, {} as never, Date.now)
    for (let count = 0; count < 6000; count++) asserted.checkShare({ id: 'acme', key: 'acme' })
    expect(() => asserted.checkShare({ id: 'acme', key: 'acme' })).toThrow(
      expect.objectContaining({
        code: 'temporarily_unavailable',
        status: 503,
        reason: 'temporarily_unavailable',
        headers: { 'Retry-After': expect.stringMatching(/^([1-9]|[1-5]\d|60)$/) },
      }),
    )
    asserted.checkShare({ id: 'globex', key: 'globex' })
  })
})
