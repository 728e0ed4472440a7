/**
 * The lanes of `npm run test:field`, each with the globs of its test files. `npm test` runs what is in none of them.
 *
 * @type {Record<string, string[]>}
 */
const lanes = {
  stores: [
    'test/unit/!(redis|postgres)/*{redis,postgres}*.test.ts',
    'test/unit/{redis,postgres}/!(redis-token-store|postgres-token-store).test.ts',
    'test/unit/store-contract/*.test.ts',
    'test/unit/{properties/grant,grants/parallel-redemption,tokens/key-service,doctor/{nginx,tls,login}}.test.ts',
    'test/unit/administration/{revoke-all-of-client,erasing-and-exporting}.test.ts',
    'test/unit/trusted-issuers/single-use.test.ts',
  ],
  docs: [
    'test/docs/{guides,operations}/*.test.ts',
    'test/docs/{snippets,testing,limits,retry-windows,coming-from-mcp-auth-router}.test.ts',
  ],
  package: ['test/field/package/!(layers).test.ts', 'test/field/package/each-node/*.test.ts'],
  examples: ['test/field/examples/*.test.ts'],
  browser: ['test/field/browser/!(login).test.ts'],
  games: ['test/field/browser/games/*.test.ts'],
  assistants: ['test/field/{assistants,clients}/*.test.ts'],
  languages: ['test/field/other-clients/*.test.ts'],
  hosts: ['test/field/hosts/*.test.ts'],
  frameworks: ['test/field/frameworks/*.test.ts'],
  faults: ['test/faults/{redis,postgres,hostile}-*.test.ts', 'test/unit/host/misplaced-credentials.test.ts'],
  histories: ['test/faults/{histories/**/*,check-server/**/*,interleavings/*}.test.ts'],
}

// These run with `npm run nightly` alone.
const ofNightly = ['languages', 'frameworks']
// These mostly wait: for servers, browsers and clocks.
const waiting = ['faults', 'browser', 'games', 'assistants', 'histories', 'examples']

/** Jest's `testMatch` for a lane, or for `npm test`. */
function testMatchOf(lane) {
  if (lane !== undefined) return lanes[lane].map((glob) => `**/${glob}`)
  return ['**/*.test.ts', ...Object.values(lanes).flatMap((globs) => globs.map((glob) => `!**/${glob}`))]
}

const names = Object.keys(lanes)
const computing = names.filter((name) => ![...waiting, ...ofNightly].includes(name))

module.exports = { names, waiting, computing, ofNightly, testMatchOf }
