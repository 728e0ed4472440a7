const { availableParallelism } = require('node:os')

/** @type {import('jest').Config} */
module.exports = {
  // Never in the process of Jest itself: on Node 20 each test file makes the promises of all later files in its process slower.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  workerIdleMemoryLimit: '400MB',
  testEnvironment: 'node',
  roots: ['<rootDir>/test', '<rootDir>/examples'],
  testMatch: ['**/*.test.ts'],
  // What a test writes there is gone again while another run of Jest lists the files.
  modulePathIgnorePatterns: ['/\\.snippets/'],
  // Ends what hangs. A test that starts servers, browsers or whole examples takes minutes where twenty others want the same core.
  testTimeout: 600_000,
  moduleNameMapper: {
    '^customer-sign-in$': '<rootDir>/src',
    '^customer-sign-in/store$': '<rootDir>/src/store',
    '^customer-sign-in/telemetry$': '<rootDir>/src/telemetry',
    '^customer-sign-in/redis$': '<rootDir>/src/redis',
    '^customer-sign-in/postgres$': '<rootDir>/src/postgres',
    '^customer-sign-in/opentelemetry$': '<rootDir>/src/opentelemetry',
    '^customer-sign-in/testing$': '<rootDir>/src/testing',
  },
  transform: {
    '^.+\\.(m?js|ts)$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
  },
  // The clients that are published as ES modules alone.
  transformIgnorePatterns: ['/node_modules/(?!(openid-client|oauth4webapi|jose|pkce-challenge)/)'],
}
