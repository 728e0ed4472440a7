import { PublicDocuments } from '../../../src/http/public-documents'

describe('the public documents', () => {
  it('are made once for each name', () => {
    const documents = new PublicDocuments()
    const members = jest.fn(() => ({ issuer: 'https://acme.example' }))
    const [first, again] = [documents.get('acme', members), documents.get('acme', members)]
    expect(again).toBe(first)
    expect(first.etag).toMatch(/^"[\w-]{22}"$/)
    expect(members).toHaveBeenCalledTimes(1)
    expect(documents.get('globex', () => ({ issuer: 'https://globex.example' })).etag).not.toBe(first.etag)
  })

  it('do not fill the memory of a host to which anybody can send made-up addresses', () => {
    const documents = new PublicDocuments()
    const members = jest.fn(() => ({}))
    documents.get('first', members)
    for (let index = 0; index < 1000; index++) documents.get(`another ${index}`, () => ({}))
    documents.get('first', members)
    expect(members).toHaveBeenCalledTimes(2)
    const long = 'x'.repeat(2049)
    documents.get(long, members)
    documents.get(long, members)
    expect(members).toHaveBeenCalledTimes(4)
  })

  it('are kept while they are requested, however many others are requested', () => {
    const documents = new PublicDocuments()
    const members = jest.fn(() => ({}))
    for (let index = 0; index < 5000; index++) {
      documents.get('busy', members)
      documents.get(`another ${index}`, () => ({}))
    }
    expect(members).toHaveBeenCalledTimes(1)
  })

  it('are kept up to a number of one thousand, with names of any ordinary length', () => {
    const documents = new PublicDocuments()
    const members = jest.fn(() => ({}))
    for (let index = 0; index < 999; index++) documents.get(`another ${index}`, () => ({}))
    documents.get('x'.repeat(2048), members)
    documents.get('x'.repeat(2048), members)
    expect(members).toHaveBeenCalledTimes(1)
    documents.get('another 0', members)
    expect(members).toHaveBeenCalledTimes(1)
  })
})
