import { withoutCredentials } from '../../../src/protocol/without-credentials'

const token = `csir_${'aB3-_'.repeat(16)}abcd`
const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJjdXN0b21lci0xIn0.c2lnbmF0dXJl'

describe('what is told of a request', () => {
  it.each([
    [token, 'csir_...'],
    [`https://app.example/?code=csic_${token.slice(5)}&state=x`, 'https://app.example/?code=csic_...&state=x'],
    [`csis_${'x'.repeat(43)} and ${token}`, 'csis_... and csir_...'],
    [token.slice(0, 30), 'csir_...'],
    [jwt, 'eyJ...'],
    [`Bearer ${jwt}, ${jwt}`, 'Bearer eyJ..., eyJ...'],
    [`https://app.example/#access_token=${jwt}&a=b`, 'https://app.example/#access_token=eyJ...&a=b'],
    [`x.${jwt}`, 'x.eyJ...'],
    [`AshleyJones.${jwt}.y`, 'AshleyJones.eyJ...'],
    [`client_id=dcr_abc&code=${token}`, 'client_id=dcr_abc&code=csir_...'],
  ])('has a placeholder in place of a credential: %s', (text, told) => {
    expect(withoutCredentials(text)).toBe(told)
  })

  it.each(['', 'profile', 'csi', 'csir_short', 'csi:csir_', 'https://eyJ.example', 'eyJhbGciOiJFUzI1NiJ9', 'dcr_abc'])(
    'stays as it is where there is none: %j',
    (text) => expect(withoutCredentials(text)).toBe(text),
  )

  it.each(['AshleyJones.of.Acme', 'HarveyJ.p.smith@acme.example', 'https://monkeyJar.example.com/a.b'])(
    'keeps the whole name of a customer or a host: %s',
    (text) => expect(withoutCredentials(text)).toBe(text),
  )

  it('keeps the whole id of a registered client, whatever its author lets it spell', () => {
    const clientId = `dcr_EA${token}`
    expect(withoutCredentials({ type: 'denied', clientId })).toEqual({ type: 'denied', clientId })
  })

  it('may be a list or an object, and anything else in it stays the same', () => {
    const [error, date, map] = [new Error(token), new Date(0), new Map([[token, token]])]
    const told = withoutCredentials({ asked: [token, 1, null, { uri: token }], error, date, map, none: undefined })
    expect(told).toEqual({ asked: ['csir_...', 1, null, { uri: 'csir_...' }], error, date, map, none: undefined })
    expect([told.error, told.date, told.map]).toEqual([error, date, map])
    expect(told.error).toBe(error)
  })

  it('is cut off where it is longer than it may be, wherever it is', () => {
    const told = { clientId: 'x'.repeat(2049), asked: ['y'.repeat(3000), 'z'.repeat(2048)] }
    const cut = { clientId: `${'x'.repeat(2048)}…`, asked: [`${'y'.repeat(2048)}…`, 'z'.repeat(2048)] }
    expect(withoutCredentials(told, 2048)).toEqual(cut)
  })

  it('is cut off where it is nested deeper than it can be written', () => {
    let asked: unknown = token
    for (let depth = 0; depth < 10_000; depth++) asked = [asked]
    expect(JSON.stringify(withoutCredentials({ asked }))).toBe('{"asked":[[[["…"]]]]}')
  })

  it('may refer to itself', () => {
    const circle: Record<string, unknown> = { token }
    circle.circle = circle
    expect(withoutCredentials(circle)).toMatchObject({ token: 'csir_...', circle: { token: 'csir_...' } })
  })
})
