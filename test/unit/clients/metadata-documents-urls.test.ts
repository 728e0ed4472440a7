import { MetadataDocuments } from '../../../src/clients/metadata-documents'
import { publicClients } from '../../support/public-clients'

const isDocumentUrl = (clientId: string, allowLoopback: boolean) =>
  new MetadataDocuments({ allowLoopback, ports: [443], lookUp: async () => [] }, publicClients).isDocumentUrl(clientId)

describe('a client id is the URL of a metadata document', () => {
  it.each([
    'https://client.example/client.json',
    'https://client.example:8443/a/b?c=d',
    'https://127.0.0.1/client.json',
  ])('if it is an https URL with a path: %s', (clientId) => {
    expect(isDocumentUrl(clientId, false)).toBe(true)
    expect(isDocumentUrl(clientId, true)).toBe(true)
  })

  it.each(['http://127.0.0.1:3000/client.json', 'http://localhost/client.json'])(
    'if it is an http URL on loopback, only for development: %s',
    (clientId) => {
      expect(isDocumentUrl(clientId, true)).toBe(true)
      expect(isDocumentUrl(clientId, false)).toBe(false)
    },
  )

  it.each([
    ['is a name', 'an-app'],
    ['has no path', 'https://client.example/'],
    ['has no path and no slash', 'https://client.example'],
    ['has a fragment', 'https://client.example/client.json#a'],
    ['has an empty fragment', 'https://client.example/client.json#'],
    ['has a user name', 'https://user@client.example/client.json'],
    ['has a password', 'https://:password@client.example/client.json'],
    ['has a host in capitals', 'https://CLIENT.example/client.json'],
    ['goes up in its path', 'https://client.example/a/../client.json'],
    ['names the usual port', 'https://client.example:443/client.json'],
    ['has letters that are not ASCII', 'https://client.example/é'],
    ['is longer than a client id', `https://client.example/${'a'.repeat(2048)}`],
    ['has another scheme', 'ftp://127.0.0.1/client.json'],
    ['is http elsewhere', 'http://client.example/client.json'],
  ])('but not if it %s', (_, clientId) => {
    expect(isDocumentUrl(clientId, false)).toBe(false)
    expect(isDocumentUrl(clientId, true)).toBe(false)
  })
})
