import { type Fault, nameOf, type Told } from '../history'
import { at, judged, verdictOn } from './story'

const thief = { by: 'thief' } as const

/** A refresh that gives the same refresh token back. */
function kept(seconds: number, token: string) {
  return at(seconds, 'refresh', token, 200, token)
}

function lostBetween(from: number, to: number): Fault {
  return { kind: 'fault', at: to * 1000, what: 'a failover', lost: { from: from * 1000, to: to * 1000 } }
}

describe('the checker', () => {
  it('finds nothing if everything went well', () => {
    const history = [at(2, 'refresh', 'R1', 200, 'R2'), at(3, 'api', 'A2', 200), at(4, 'refresh', 'R2', 200, 'R3')]
    expect(verdictOn(history)).toMatchObject({
      histories: 1,
      refreshed: 2,
      unavailable: 0,
      violations: [],
      admitted: [],
    })
  })

  it('accepts that an owner retries after 503, a timeout or a lost connection', () => {
    const tries = (['timeout', 503, 'lost'] as const).map((answer, index) => at(2 + index, 'refresh', 'R1', answer))
    expect(judged([...tries, at(8, 'refresh', 'R1', 200, 'R2')])).toEqual([])
  })

  it('distinguishes a token that is given back from one that is redeemed', () => {
    const history = [
      at(2, 'refresh', 'R1', 200, 'R2'),
      kept(3, 'R2'),
      kept(9, 'R2'),
      at(13, 'refresh', 'R2', 200, 'R3'),
    ]
    expect(verdictOn(history)).toMatchObject({ refreshed: 4, rotated: 2, violations: [], admitted: [] })
  })

  it('gives the credentials of one grant different names', () => {
    const credential = (secret: number) => {
      const bytes = Buffer.concat([Buffer.alloc(25, 7), Buffer.alloc(16, secret), Buffer.alloc(16, 9)])
      return `csir_${bytes.toString('base64url')}`
    }
    expect(nameOf(credential(1))).not.toBe(nameOf(credential(2)))
    expect(nameOf(credential(1))).toMatch(/^refresh [\w-]{12}$/)
  })
})

describe('rule (a)', () => {
  it('sees a code that gives tokens again, without a window, after it, or others than before', () => {
    expect(judged([at(1.5, 'redeem-code', 'C', 200, 'R1')], { window: 0 })).toEqual(['a'])
    expect(judged([at(1.5, 'redeem-code', 'C', 200, 'R1')])).toEqual([])
    expect(judged([at(1.5, 'redeem-code', 'C', 200, 'R9')])).toEqual(['a'])
    expect(judged([at(13, 'redeem-code', 'C', 200, 'R1')], { window: 300 })).toEqual(['a'])
  })

  it('sees a code that gives tokens although its refresh token has been used', () => {
    const used = at(2, 'refresh', 'R1', 200, 'R2')
    expect(judged([used, at(3, 'redeem-code', 'C', 200, 'R2')])).toEqual(['a'])
    expect(judged([used, at(3, 'redeem-code', 'C', 400, undefined, thief)])).toEqual([])
  })

  it('sees a refresh token that is redeemed twice, if there is no window', () => {
    const twice = [at(2, 'refresh', 'R1', 200, 'R2'), at(2.1, 'refresh', 'R1', 200, 'R2')]
    expect(judged(twice, { window: 0 })).toEqual(['a'])
    expect(judged(twice)).toEqual([])
  })

  it('sees a token that works after its window', () => {
    const first = at(2, 'refresh', 'R1', 200, 'R2')
    expect(judged([first, at(12.9, 'refresh', 'R1', 200, 'R2', thief)])).toEqual([])
    expect(judged([first, at(13.1, 'refresh', 'R1', 200, 'R2', thief)])).toEqual(['a'])
  })

  it('accepts that a repeat gets the token that is live by then', () => {
    const chain = [at(2, 'refresh', 'R1', 200, 'R2'), at(3, 'refresh', 'R2', 200, 'R3')]
    expect(judged([...chain, at(4, 'refresh', 'R1', 200, 'R3', thief)])).toEqual([])
  })

  it('sees a repeat that gets a used token', () => {
    const chain = [at(2, 'refresh', 'R1', 200, 'R2'), at(3, 'refresh', 'R2', 200, 'R3')]
    expect(judged([...chain, at(4, 'refresh', 'R1', 200, 'R2', thief)])).toEqual(['a'])
  })

  it('sees a token that is given back although it was used', () => {
    const chain = [at(2, 'refresh', 'R1', 200, 'R2'), at(3, 'refresh', 'R2', 200, 'R3')]
    expect(judged([...chain, kept(4, 'R2')])).toEqual(['a'])
  })

  it('counts the age of a token that was given back from its redemption', () => {
    const chain = [at(2, 'refresh', 'R1', 200, 'R2'), kept(3, 'R2'), at(12, 'refresh', 'R2', 200, 'R3')]
    expect(judged([...chain, at(20, 'refresh', 'R2', 200, 'R3', thief)])).toEqual([])
    expect(judged([...chain, at(24, 'refresh', 'R2', 200, 'R3', thief)])).toEqual(['a'])
  })

  it('admits a token that works after its window, if a process has reversed a redemption that got 503', () => {
    const repeated = [at(2, 'refresh', 'R1', 503), at(3, 'refresh', 'R1', 200, 'R2', { host: 1 })]
    const late = at(20, 'refresh', 'R1', 200, 'R2', thief)
    expect(judged([...repeated, late])).toEqual(['(a)'])
    expect(judged([...repeated, at(4, 'refresh', 'R2', 200, 'R3'), late])).toEqual(['a'])
  })

  it('allows for a jump of the store’s clock', () => {
    const late = [at(2, 'refresh', 'R1', 200, 'R2'), at(20, 'refresh', 'R1', 200, 'R2', thief)]
    expect(judged(late, { storeClockJumps: 5 })).toEqual(['a'])
    expect(judged(late, { storeClockJumps: 10 })).toEqual([])
  })

  it('sees two successors of one token', () => {
    const first = at(2, 'refresh', 'R1', 200, 'R2')
    expect(judged([first, at(4, 'refresh', 'R1', 200, 'X', thief)])).toEqual(['a'])
  })

  it('accepts a successor that an unanswered redemption may have led to', () => {
    const chain = [at(2, 'refresh', 'R1', 200, 'R2'), at(3, 'refresh', 'R2', 'timeout', undefined, { until: 6 })]
    expect(judged([...chain, at(7, 'refresh', 'R1', 200, 'R3', thief), at(8, 'refresh', 'R2', 200, 'R3')])).toEqual([])
  })

  it('admits a redemption that a nemesis has lost', () => {
    const chain = [at(2, 'refresh', 'R1', 200, 'R2'), at(20, 'refresh', 'R1', 200, 'R2', thief)]
    expect(judged([...chain, lostBetween(1.5, 3)])).toEqual(['(a)'])
  })
})

describe('rule (b)', () => {
  it('sees an owner who is refused for no reason', () => {
    expect(judged([at(2, 'refresh', 'R1', 400)])).toEqual(['b'])
    expect(judged([at(2, 'api', 'A1', 401)])).toEqual(['b'])
  })

  it('sees an owner who is refused after 503, whenever that was', () => {
    expect(judged([at(2, 'refresh', 'R1', 503), at(3, 'refresh', 'R1', 400)])).toEqual(['b'])
    expect(judged([at(2, 'refresh', 'R1', 503), at(60, 'refresh', 'R1', 400)])).toEqual(['b'])
  })

  describe('tokens that are bound to a key', () => {
    const bound = { bound: true } as const
    const used = at(2, 'refresh', 'R1', 200, 'R2', bound)

    it('may not be used by a thief', () => {
      expect(judged([used, at(3, 'refresh', 'R2', 200, 'R3', { ...bound, by: 'thief' })])).toEqual(['a'])
    })

    it('are answered for a day, and do not end their grant after it', () => {
      expect(judged([used, at(60, 'refresh', 'R1', 400, undefined, bound)])).toEqual(['b'])
      const late = [at(90_000, 'refresh', 'R1', 400, undefined, bound), at(90_001, 'refresh', 'R2', 200, 'R3', bound)]
      expect(judged([used, ...late])).toEqual([])
    })
  })

  it('sees an owner who is refused inside the window after an answer was lost', () => {
    expect(judged([at(2, 'refresh', 'R1', 'lost'), at(8, 'refresh', 'R1', 400)])).toEqual(['b'])
  })

  it('admits the refusal of an owner who comes after the window', () => {
    expect(judged([at(2, 'refresh', 'R1', 'lost'), at(13, 'refresh', 'R1', 400)])).toEqual(['(b)'])
  })

  it('admits the refusal of a code that comes again after ten seconds, and sees it before', () => {
    const code = (answer: 'lost' | 503, seconds: number, host = 0) => [
      at(1, 'redeem-code', 'D', answer, undefined, { grant: 2 }),
      at(seconds, 'redeem-code', 'D', 400, undefined, { grant: 2, host }),
    ]
    const long = { window: 300 }
    expect(judged(code('lost', 2), long)).toEqual(['b'])
    expect(judged(code('lost', 13), long)).toEqual(['(b)'])
    expect(judged(code('lost', 2), { window: 0 })).toEqual(['(b)'])
    for (const host of [0, 1]) expect(judged(code(503, 2, host), long)).toEqual(['b'])
  })

  describe('an owner who got 503 and comes to another process after the window', () => {
    const away = at(2, 'refresh', 'R1', 503)
    const refused = (seconds: number) => at(seconds, 'refresh', 'R1', 400, undefined, { host: 1 })
    const works = (seconds: number) => at(seconds, 'refresh', 'Q1', 200, 'Q2', { grant: 2 })
    const killed: Told = { kind: 'told', at: 3000, host: 0, event: 'killed' }

    it('may be refused if the first process has had no time to reverse the redemption', () => {
      expect(judged([away, refused(13)])).toEqual(['(b)'])
      expect(judged([away, works(8), refused(13)])).toEqual(['(b)'])
    })

    it('may be refused if the first process was killed', () => {
      expect(judged([away, works(2.5), killed, refused(13)])).toEqual(['(b)'])
    })

    it('may not be refused once the first process has had the store for a while', () => {
      expect(judged([away, works(3), refused(13)])).toEqual(['b'])
      expect(judged([away, works(3), refused(60)])).toEqual(['b'])
    })

    it('may not be refused inside the window', () => {
      expect(judged([away, refused(8)])).toEqual(['b'])
    })
  })

  it('accepts that one of two requests at once is refused, if there is no window', () => {
    const burst = [at(2, 'refresh', 'R1', 200, 'R2'), at(2, 'refresh', 'R1', 400)]
    expect(judged(burst, { window: 0 })).toEqual([])
    expect(judged(burst)).toEqual(['b'])
  })

  it('admits that all of several requests at once are refused, if there is no window', () => {
    const burst = [at(2, 'refresh', 'R1', 400), at(2, 'refresh', 'R1', 400)]
    expect(judged(burst, { window: 0 })).toEqual(['(b)'])
    expect(judged(burst)).toEqual(['b'])
    expect(judged([at(2, 'refresh', 'R1', 400)], { window: 0 })).toEqual(['b'])
  })

  it('accepts a refusal only after a replay that was late enough to end the grant', () => {
    const replayAt = (seconds: number) => [
      at(2, 'refresh', 'R1', 200, 'R2'),
      at(seconds, 'refresh', 'R1', 400, undefined, thief),
      at(seconds + 1, 'refresh', 'R2', 400),
    ]
    expect(judged(replayAt(14))).toEqual([])
    expect(judged(replayAt(5))).toEqual(['b'])
  })

  it('counts the age of a replay from a redemption that got 503, if another process answered it', () => {
    const answeredElsewhere = [at(2, 'refresh', 'R1', 503), at(7, 'refresh', 'R1', 200, 'R2', { host: 1 })]
    const replay = at(13, 'refresh', 'R1', 400, undefined, thief)
    expect(judged([...answeredElsewhere, replay, at(14, 'refresh', 'R2', 400)])).toEqual([])
  })

  it('sees the refusal of a token that was given back', () => {
    expect(judged([at(2, 'refresh', 'R1', 200, 'R2'), kept(3, 'R2'), at(30, 'refresh', 'R2', 400)])).toEqual(['b'])
  })

  it('accepts a refusal after the replay of a token that the grant no longer remembers', () => {
    const chain = Array.from({ length: 18 }, (_, index) => {
      return at(2 + index / 10, 'refresh', `R${index + 1}`, 200, `R${index + 2}`)
    })
    const replay = at(5, 'refresh', 'R1', 400, undefined, thief)
    expect(judged([...chain, replay, at(6, 'refresh', 'R19', 400)])).toEqual([])
  })

  it('sees a grant that ends because of a request whose client has hung up', () => {
    const paused = at(2, 'refresh', 'R1', 'timeout', undefined, { until: 5 })
    const elsewhere = at(5.1, 'refresh', 'R1', 200, 'R2')
    expect(judged([paused, elsewhere, at(20, 'refresh', 'R2', 400)])).toEqual(['b'])
  })

  it('accepts a refusal after a revocation, acknowledged or not', () => {
    const revoked = (answer: 200 | 503) => at(2, 'revoke', 'R1', answer, undefined, { by: 'revoker' })
    expect(judged([revoked(200), at(3, 'refresh', 'R1', 400)])).toEqual([])
    expect(judged([revoked(503), at(30, 'refresh', 'R1', 400)])).toEqual([])
  })

  it('does not accept a forgery as the cause of a refusal', () => {
    const forged = { by: 'garbage', forged: true } as const
    expect(judged([at(2, 'refresh', 'R1', 400, undefined, forged), at(3, 'refresh', 'R1', 400)])).toEqual(['b'])
  })

  it('admits a lost sign-in and more than four lost refreshes, and no fewer', () => {
    const chain = (length: number) => [
      ...Array.from({ length }, (_, index) => at(2 + index / 10, 'refresh', `R${index + 1}`, 200, `R${index + 2}`)),
      lostBetween(1.5, 3),
      at(5, 'refresh', `R${length + 1}`, 400),
    ]
    expect(judged(chain(5))).toEqual(['(b)'])
    expect(judged(chain(4))).toEqual(['b'])
    expect(judged([lostBetween(0, 0.5), at(5, 'refresh', 'R1', 400)])).toEqual(['(b)'])
  })

  it('admits that a host whose clock is far off refuses an access token', () => {
    const refused = [at(2, 'api', 'A1', 401)]
    expect(judged(refused, { clocks: [-1800, 1800] })).toEqual(['(b)'])
    expect(judged(refused, { clocks: [-300, 300] })).toEqual(['b'])
  })
})

describe('rule (c)', () => {
  it('sees a late replay that does not end the grant', () => {
    const replay = at(20, 'refresh', 'R1', 400, undefined, thief)
    const after = at(21, 'refresh', 'R2', 200, 'R3')
    expect(judged([at(2, 'refresh', 'R1', 200, 'R2'), replay, after])).toEqual(['c'])
  })

  it('sees a late replay of a code that does not end the grant', () => {
    const replay = at(13, 'redeem-code', 'C', 400, undefined, thief)
    expect(judged([replay, at(14, 'api', 'A1', 200)], { window: 60 })).toEqual(['c'])
  })

  it('sees no replay in a token that was given back', () => {
    const chain = [at(2, 'refresh', 'R1', 200, 'R2'), kept(3, 'R2'), at(30, 'refresh', 'R2', 200, 'R3')]
    expect(judged([...chain, at(31, 'refresh', 'R2', 200, 'R3')])).toEqual([])
  })

  it('demands no end of a grant if a process may have reversed the redemption', () => {
    const repeated = [at(2, 'refresh', 'R1', 503), at(3, 'refresh', 'R1', 200, 'R2', { host: 1 })]
    const replay = at(20, 'refresh', 'R1', 400, undefined, thief)
    expect(judged([...repeated, replay, at(21, 'refresh', 'R2', 200, 'R3')])).toEqual([])
  })

  it('accepts that the grant lives after a replay that is tolerated', () => {
    const replay = at(5, 'refresh', 'R1', 400, undefined, thief)
    const after = at(21, 'refresh', 'R2', 200, 'R3')
    expect(judged([at(2, 'refresh', 'R1', 200, 'R2'), replay, after], { window: 0 })).toEqual([])
  })

  it('sees a grant that comes back', () => {
    expect(judged([at(2, 'refresh', 'R1', 400), at(3, 'api', 'A1', 200)])).toEqual(['b', 'c'])
    expect(judged([at(2, 'api', 'A1', 401), at(3, 'refresh', 'R1', 200, 'R2')])).toEqual(['b', 'c'])
  })

  it('admits a grant that comes back if the nemesis lost its end', () => {
    const replay = at(20, 'refresh', 'R1', 400, undefined, thief)
    const after = at(22, 'refresh', 'R2', 200, 'R3')
    expect(judged([at(2, 'refresh', 'R1', 200, 'R2'), replay, lostBetween(19.5, 21), after])).toEqual(['(c)'])
  })
})

describe('rule (d)', () => {
  const revoked = at(2, 'revoke', 'R1', 200, undefined, { by: 'revoker', way: 'refresh token' })

  it('sees a credential that works after an acknowledged revocation', () => {
    expect(judged([revoked, at(3, 'api', 'A1', 200, undefined, { by: 'probe' })])).toEqual(['d'])
    expect(judged([revoked, at(3, 'refresh', 'R1', 200, 'R2')])).toEqual(['d'])
  })

  it('accepts a request that began before the revocation was acknowledged', () => {
    expect(judged([revoked, at(2.005, 'api', 'A1', 200)])).toEqual([])
  })
})

describe('rule (e)', () => {
  const ada = { subject: 'ada', clientId: 'assistant-app', tenantKey: 'acme', grantId: 'g' }

  it.each([{ subject: 'bob' }, { clientId: 'other-app' }, { tenantKey: 'globex' }])(
    'sees a token of another: %p',
    (other) => {
      expect(judged([at(2, 'api', 'A1', 200, undefined, { gave: { who: { ...ada, ...other } } })])).toEqual(['e'])
      expect(judged([at(2, 'api', 'A1', 200, undefined, { gave: { who: ada } })])).toEqual([])
    },
  )

  it('sees a grant with two ids, and a token that two grants have', () => {
    const as = (grantId: string) => ({ gave: { who: { ...ada, grantId } } })
    expect(judged([at(2, 'api', 'A1', 200, undefined, as('g')), at(3, 'api', 'A1', 200, undefined, as('h'))])).toEqual([
      'e',
    ])
    expect(judged([at(2, 'redeem-code', 'D', 200, 'R1', { grant: 2 })])).toEqual(['e'])
  })

  it('sees a forgery that succeeds', () => {
    expect(judged([at(2, 'refresh', 'R1', 200, undefined, { by: 'garbage', forged: true })])).toEqual(['e'])
  })
})

describe('rule (f)', () => {
  it('sees a 5xx other than 503', () => {
    expect(judged([at(2, 'refresh', 'R1', 500), at(3, 'refresh', 'R1', 200, 'R2')])).toEqual(['f'])
  })

  it.each(['died', 'unhandled rejection', 'uncaught exception'])('sees an event of a host: %s', (event) => {
    expect(judged([{ kind: 'told', at: 2000, host: 1, event }])).toEqual(['f'])
  })

  it('sees an outage that does not end', () => {
    expect(judged([at(2, 'refresh', 'R1', 503)])).toEqual(['f'])
    expect(judged([at(2, 'refresh', 'R1', 503), at(2, 'refresh', 'R1', 200, 'R2')])).toEqual([])
  })
})
