const config = require('../../jest.config')

/**
 * The tests that mutants are run against: those that need nothing but this process, each file in a few seconds.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...config,
  rootDir: '../..',
  testEnvironment: '<rootDir>/test/mutation/environment.ts',
  testTimeout: 10_000,
  testPathIgnorePatterns: [
    // Processes of their own, browsers, the packed package, the papers.
    '/test/(browser|conformance|docs|examples|histories|mutation|package|scripts)/',
    // Redis servers.
    'redis',
    '/test/clients/mcp-bursts',
    // The stores' own, and long.
    '/test/(stores|testing)/',
    '/test/properties/grant',
    '/test/grants/(parallel-redemption|revoke-all-of-client)',
    '/test/faults/hostile-',
  ],
}
