const config = require('../../jest.config')

/**
 * The tests that mutants are run against.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...config,
  rootDir: '../..',
  testEnvironment: '<rootDir>/test/mutation/environment.ts',
  testTimeout: 20_000,
  testPathIgnorePatterns: [
    // These use separate processes, browsers or the packed package, or test the docs.
    '/test/field/(assistants|browser|examples|frameworks|other-clients|package|vitest)/',
    '/test/unit/conformance/',
    '/test/(docs|faults/check-server|faults/histories|faults/interleavings|mutation)/',
    // These use servers of Redis and PostgreSQL, and are of other folders than `src/redis` and `src/postgres`, or take long.
    '^(?!.*/test/(unit/(redis|postgres)/|faults/(redis|postgres)-)).*(redis|postgres)',
    '/test/faults/.*-(absent|clocks|everything|failover|frozen|full-disk|killed|lost|outage|parallel|pgbouncer)',
    '/test/field/clients/mcp-bursts',
    // These take long.
    '/test/unit/properties/grant',
    '/test/unit/(grants/parallel-redemption|administration/revoke-all-of-client)',
    '/test/faults/hostile-',
    '/test/unit/tokens/key-service',
  ],
}
