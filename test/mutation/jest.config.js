const config = require('../../jest.config')

/**
 * The tests that mutants are run against. They need no other process, and each file takes a few seconds.
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
    '/test/(cli|keys).test',
    '/test/(assistants|browser|conformance|docs|doctor|examples|frameworks|histories|mutation|other-clients|package|scripts)/',
    // These use servers of Redis and PostgreSQL.
    'redis',
    'postgres',
    '/test/clients/mcp-bursts',
    // These test the stores, and take long.
    '/test/(stores|testing)/',
    '/test/properties/grant',
    '/test/grants/(parallel-redemption|revoke-all-of-client)',
    '/test/faults/hostile-',
    '/test/tokens/key-service',
  ],
}
