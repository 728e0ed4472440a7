import { impliedScopesOf, withImplied } from '../../../src/protocol/scope'

describe('scopes that imply others', () => {
  const implied = impliedScopesOf({
    admin: { implies: ['write', 'audit'] },
    write: { implies: ['read'] },
    read: { implies: ['profile'] },
    loop: { implies: ['loop2'] },
    loop2: { implies: ['loop'] },
  })

  it('bring everything with them that these imply, each once and after the scopes themselves', () => {
    expect(withImplied(['admin'], implied)).toEqual(['admin', 'write', 'audit', 'read', 'profile'])
    expect(withImplied(['profile', 'write'], implied)).toEqual(['profile', 'write', 'read'])
    expect(withImplied(['read', 'write'], implied)).toEqual(['read', 'write', 'profile'])
  })

  it('imply nothing upwards', () => {
    expect(withImplied(['read'], implied)).toEqual(['read', 'profile'])
    expect(withImplied(['profile', 'mail'], implied)).toEqual(['profile', 'mail'])
  })

  it('end even where they imply each other', () => {
    expect(withImplied(['loop'], implied)).toEqual(['loop', 'loop2'])
  })

  it('imply nothing by a name that every object has', () => {
    expect(withImplied(['constructor', '__proto__'], implied)).toEqual(['constructor', '__proto__'])
  })
})
