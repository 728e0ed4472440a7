import { Visit } from '../../../src/doctor/visit'

const address = 'https://assistant.example/v1/acme/mcp'

/** What becomes of one step. */
async function taken(take: (visit: Visit) => void) {
  const visit = new Visit(address)
  await visit.step('clock', async () => take(visit))
  return visit.report().steps[0]
}

describe('a step', () => {
  it('is wrong if one of its findings is, and warns if none is', async () => {
    const warns = await taken((visit) => visit.find('no-refresh', {}))
    expect(warns).toMatchObject({ status: 'warning', findings: [{ code: 'no-refresh', level: 'warning' }] })
    const fails = await taken((visit) => {
      visit.find('no-refresh', {})
      visit.find('no-way-in', {})
    })
    expect(fails?.status).toBe('wrong')
  })

  it('says the same once', async () => {
    const step = await taken((visit) => {
      for (const member of ['a', 'b', 'a']) visit.find('not-listed', { member, value: 'x' })
    })
    expect(step?.findings.map(({ says }) => says)).toEqual([
      '`a` does not list `x`. Assistants stop here',
      '`b` does not list `x`. Assistants stop here',
    ])
  })

  it('leaves no gap in its words where a value is empty', async () => {
    const step = await taken((visit) => {
      visit.find('registration-refused', { status: 400, error: '', description: 'No URI' })
      visit.find('credential-refused', { credential: 'code', status: 400, error: 'invalid_grant', description: '' })
    })
    expect(step?.findings.map(({ says }) => says)).toEqual([
      'A client with a redirect URI on its own device is not registered: 400 No URI',
      'The code is refused: 400 invalid_grant',
    ])
  })

  it('hides codes and tokens, but not what is no text or empty', async () => {
    const step = await taken((visit) => {
      visit.hide('secret', '', null, undefined)
      visit.note('The secret of the null')
      visit.find('sign-in-refused', { error: 'secret', description: 'undefined' })
    })
    expect(step?.notes).toEqual(['The … of the null'])
    expect(step?.findings[0]?.says).toBe('The browser came back with the error …. undefined')
  })

  it('begins without the notes and findings of the one before', async () => {
    const visit = new Visit(address)
    await visit.step('clock', async () => {
      visit.note('One')
      visit.find('no-refresh', {})
    })
    await visit.step('leave', async () => visit.note('Two'))
    expect(visit.report().steps[1]).toMatchObject({ status: 'good', notes: ['Two'], findings: [] })
  })
})
