import { constants, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { KeyServiceMood, KeyServiceSettings } from './settings'

// A service that signs with a key which never leaves this process. It signs what it is sent, and answers with the bytes of the signature.
const { algorithm, encoding, privateKey: pem }: KeyServiceSettings = JSON.parse(process.env.KEY_SERVICE ?? '')
const privateKey = createPrivateKey(pem)
const another = generateKeyPairSync('ec', { namedCurve: algorithm === 'ES384' ? 'P-384' : 'P-256' }).privateKey
let mood: KeyServiceMood = 'signs'

const isRsa = algorithm === 'RS256' || algorithm === 'PS256'
const padding = algorithm === 'PS256' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : {}
const options = isRsa ? padding : { dsaEncoding: encoding }

const server = createServer(async (req, res) => {
  const data = await buffer(req)
  if (mood === 'hangs') return void process.send?.('held')
  if (mood === 'fails') return void res.writeHead(500).end()
  const key = mood === 'signs with another key' ? another : privateKey
  res.end(sign(algorithm.endsWith('384') ? 'sha384' : 'sha256', data, { key, ...options }))
})

server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.on('message', (next: KeyServiceMood) => {
  mood = next
  process.send?.({ mood })
})
process.on('disconnect', () => process.exit())
