/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  // Servers, browsers and whole examples are started in them, on whatever machine.
  testTimeout: 60_000,
  moduleNameMapper: {
    '^customer-sign-in$': '<rootDir>/src',
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
