const { existsSync, readdirSync, readFileSync } = require('node:fs')
const { join } = require('node:path')
const { globsToMatcher } = require('jest-util')
const lanes = require('./lanes.js')

const root = join(__dirname, '..')
// An import of values: neither `import type`, nor one with nothing but types between its braces.
const imports = /^import (?!type\b)(?!\{(?:\s*type \w+,?)+\s*\})(?:[^']*from )?'([^']+)'/gm
const sensitiveModule = /^node:(crypto|https?|http2|net|tls|stream|timers|dns)(\/|$)/
const timer = /(?<![\w.])set(Timeout|Interval|Immediate)\(/

/**
 * The test files of `test/unit` whose mirrored file in `src` uses what differs between versions of Node, without those of the lane `stores`.
 *
 * @returns {string[]}
 */
function nodeSensitiveTests() {
  const isOfStores = globsToMatcher(lanes.testMatchOf('stores'))
  const sources = namesIn('src', '.ts')
  return namesIn('test/unit', '.test.ts')
    .filter((test) => {
      const source = mirroredBy(test, sources)
      return source !== undefined && isSensitive(readFileSync(join(root, 'src', `${source}.ts`), 'utf8'))
    })
    .map((test) => `test/unit/${test}.test.ts`)
    .filter((path) => !isOfStores(join(root, path)))
}

/** The file of `src` that a test file mirrors: the longest name that the test's begins with, up to its end or a hyphen. */
function mirroredBy(test, sources) {
  const [longest] = sources
    .filter((source) => test === source || test.startsWith(`${source}-`))
    .sort((one, other) => other.length - one.length)
  return longest
}

/** Whether the text of a source imports values of such a module or a native package, or sets a timer. Types alone do not count. */
function isSensitive(text) {
  const imported = [...text.matchAll(imports)].map(([, specifier]) => specifier)
  return imported.some((name) => sensitiveModule.test(name) || isNative(name)) || timer.test(text)
}

/** Whether a package is compiled for the machine when it is installed. */
function isNative(specifier) {
  const [, name] = /^((?:@[^/]+\/)?[^./@][^/:]*)(?:\/|$)/.exec(specifier) ?? []
  return name !== undefined && existsSync(join(root, 'node_modules', name, 'binding.gyp'))
}

/** The files below a folder, from there, without their ending. */
function namesIn(folder, ending) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => name.replaceAll('\\', '/').slice(0, -ending.length))
}

module.exports = { nodeSensitiveTests, isSensitive }
