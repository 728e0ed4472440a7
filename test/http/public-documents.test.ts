import { PublicDocuments } from '../../src/http/public-documents'

describe('the public documents', () => {
  it('are made once for each name', () => {
    const documents = new PublicDocuments()
    const members = jest.fn(() => ({ issuer: 'https://acme.example' }))
    const [first, again] = [documents.named('acme', members), documents.named('acme', members)]
    expect(again).toBe(first)
    expect(members).toHaveBeenCalledTimes(1)
    expect(documents.named('globex', () => ({ issuer: 'https://globex.example' })).etag).not.toBe(first.etag)
  })

  it('do not fill the memory of a host to which anybody can send made-up addresses', () => {
    const documents = new PublicDocuments()
    const members = jest.fn(() => ({}))
    documents.named('first', members)
    for (let index = 0; index < 1000; index++) documents.named(`another ${index}`, () => ({}))
    documents.named('first', members)
    expect(members).toHaveBeenCalledTimes(2)
    const long = 'x'.repeat(2049)
    documents.named(long, members)
    documents.named(long, members)
    expect(members).toHaveBeenCalledTimes(4)
  })

  it('are kept while they are requested, however many others are requested', () => {
    const documents = new PublicDocuments()
    const members = jest.fn(() => ({}))
    for (let index = 0; index < 5000; index++) {
      documents.named('busy', members)
      documents.named(`another ${index}`, () => ({}))
    }
    expect(members).toHaveBeenCalledTimes(1)
  })

  it('are kept up to a number of one thousand, with names of any ordinary length', () => {
    const documents = new PublicDocuments()
    const members = jest.fn(() => ({}))
    for (let index = 0; index < 999; index++) documents.named(`another ${index}`, () => ({}))
    documents.named('x'.repeat(2048), members)
    documents.named('x'.repeat(2048), members)
    expect(members).toHaveBeenCalledTimes(1)
    documents.named('another 0', members)
    expect(members).toHaveBeenCalledTimes(1)
  })
})
