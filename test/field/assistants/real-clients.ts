import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A client that others wrote, whose own code the tests run. */
export interface RealClientCode {
  name: string
  /** Its package on npm. */
  package: string
  /** The file in `harness/` that runs it. */
  file: string
  connects: 'registration' | 'own client'
  /** What is particular about it. */
  particular: string
  /** How many calls at once it makes, in bursts one after the other. */
  bursts: readonly number[]
  /** Whether its own processes get in each other's way on a busy machine: they then hang, or ask for a sign-in again. */
  isUnsteady?: true
}

export const realClients: readonly RealClientCode[] = [
  {
    name: 'LangChain.js',
    package: '@langchain/mcp-adapters',
    file: 'langchain',
    connects: 'registration',
    particular: 'Refreshes with the MCP SDK 1',
    bursts: [3, 6, 9],
  },
  {
    name: 'OpenAI Agents SDK',
    package: '@openai/agents-core',
    file: 'openai-agents',
    connects: 'registration',
    particular: 'Refreshes with the MCP SDK 2',
    bursts: [3, 6, 9],
  },
  {
    name: 'Mastra',
    package: '@mastra/mcp',
    file: 'mastra',
    connects: 'own client',
    particular: 'Does not register: it needs an id of yours, or publishes a metadata document',
    bursts: [3, 6, 9],
  },
  {
    name: 'AI SDK',
    package: '@ai-sdk/mcp',
    file: 'ai-sdk',
    connects: 'registration',
    particular: 'Has OAuth code of its own',
    bursts: [3, 6, 9],
  },
  {
    name: 'mcporter',
    package: 'mcporter',
    file: 'mcporter',
    connects: 'registration',
    particular:
      'Fault: registers again with each run, and loses its sign-in, unless its `oauthRedirectUrl` names a port ([source](https://github.com/openclaw/mcporter/issues/290), mended in 0.13.2)',
    bursts: [3, 6, 9],
  },
  {
    name: 'mcp-remote',
    package: 'mcp-remote',
    file: 'mcp-remote',
    connects: 'registration',
    particular: 'Its processes share one sign-in. Each gives up after 20 refreshes in 30 seconds',
    bursts: [3, 6],
    isUnsteady: true,
  },
  {
    name: 'MCP Inspector',
    package: '@modelcontextprotocol/inspector',
    file: 'inspector',
    connects: 'registration',
    particular: 'Its command line starts a process for each call. They share one sign-in',
    bursts: [3],
  },
]

/** The version of a client that the tests run. */
export function versionOf({ package: name }: RealClientCode): string {
  const lock = JSON.parse(readFileSync(join(__dirname, 'package-lock.json'), 'utf8'))
  return lock.packages[`node_modules/${name}`].version
}
