import { PublicDocuments } from '../../../src/http/public-documents'

describe('the public documents', () => {
  it('are made once for each object', () => {
    const documents = new PublicDocuments()
    const members = jest.fn(() => ({ issuer: 'https://acme.example' }))
    const acme = {}
    const [first, again] = [documents.get(acme, members), documents.get(acme, members)]
    expect(again).toBe(first)
    expect(first.etag).toMatch(/^"[\w-]{22}"$/)
    expect(members).toHaveBeenCalledTimes(1)
    expect(documents.get({}, () => ({ issuer: 'https://globex.example' })).etag).not.toBe(first.etag)
  })
})
