import { appRedirectsOfAssistants, assistants } from '../../../src/assistants/assistants'
import { isClientAuthenticationMethod } from '../../../src/client-authentication/methods'
import { partsIn } from '../../../src/pages/words'
import { english } from '../../../src/pages/words/english'
import { redirectUriFault, redirectUriMatches } from '../../../src/protocol/redirect-uri'
import { assistants as players } from '../../field/assistants/assistants'

describe('the assistants of a "Connect an assistant" page', () => {
  it('are those that most people use', () => {
    const ids = assistants.map(({ id }) => id)
    expect(ids).toEqual(
      expect.arrayContaining(['claude', 'chatgpt', 'claude-code', 'codex', 'cursor', 'vscode', 'gemini-cli']),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each(assistants)('have for $id a source, a day, steps, and what the steps speak of', (assistant) => {
    const {
      id,
      name,
      isHosted = false,
      steps,
      stepsWithClientId = [],
      link,
      command,
      config,
      source,
      checkedOn,
      redirectUris,
      registersFor = 'none',
    } = assistant
    expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(name).toMatch(/^\w/)
    expect(isHosted).toBe(redirectUris.every((redirectUri) => redirectUri.startsWith('https:')))
    expect(stepsWithClientId.length > 0).toBe(isHosted)
    const server = { address: 'https://acme.example/mcp', name: 'acme', title: 'Acme' }
    expect(JSON.stringify([steps, stepsWithClientId, config?.(server)])).not.toContain('""')
    expect(steps.length).toBeGreaterThan(1)
    expect(source).toMatch(/^https:\/\/[\w.-]+\/\w/)
    expect(checkedOn).toMatch(/^20\d\d-\d\d-\d\d$/)
    expect(isClientAuthenticationMethod(registersFor)).toBe(true)
    expect(redirectUris.length).toBeGreaterThan(0)
    const faults = redirectUris.map((redirectUri) => redirectUriFault(redirectUri, appRedirectsOfAssistants))
    expect(faults.filter((fault) => fault !== undefined)).toEqual([])
    for (const list of [steps, stepsWithClientId].filter(({ length }) => length > 0)) {
      const sentences = list.map(({ say }) => english.steps[say])
      // Each slot of a sentence is filled, and nothing else is given.
      expect(list.map(({ say: _, ...names }) => Object.keys(names).sort())).toEqual(sentences.map(partsIn))
      const said = sentences.join(' ')
      expect(list.length).toBeGreaterThan(1)
      expect(said).toMatch(/^((\{app\}|[A-Z])[^.]*\. ?)+$/)
      expect([/the link/.test(said), /the command/.test(said), /the configuration/.test(said)]).toEqual(
        [link, command, config].map((way) => way !== undefined),
      )
      expect(/\bclient id\b/.test(said)).toBe(list === stepsWithClientId)
    }
  })

  it.each([
    ['claude', 'Claude (web, desktop, mobile, Cowork)'],
    ['chatgpt', 'ChatGPT'],
    ['claude-code', 'Claude Code'],
    ['cursor', 'Cursor'],
    ['vscode', 'VS Code (GitHub Copilot)'],
    ['gemini-cli', 'Gemini CLI'],
    ['copilot-cli', 'GitHub Copilot CLI'],
    ['opencode', 'OpenCode'],
  ])('have for %s what the tests play as %s: its way to connect and its redirect URI', (id, name) => {
    const assistant = assistants.find((known) => known.id === id)
    const [today] = players.filter((player) => player.name === name && player.variant === undefined)
    expect(today?.connects).toBe(assistant?.document && !assistant.prefersToRegister ? 'document' : 'registration')
    const played = today?.plays.redirectUri ?? ''
    expect(assistant?.redirectUris.some((redirectUri) => redirectUriMatches(redirectUri, played))).toBe(true)
  })
})
