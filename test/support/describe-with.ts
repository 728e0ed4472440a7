/** `describe` for suites that need a program or a package. Without it, they are skipped with a warning, and in CI they fail. */
export function describeWith(what: string, found: unknown): (name: string, define: () => void) => void {
  return (name, define) => {
    if (found) return describe(name, define)
    if (process.env.CI) return describe(name, () => it(`needs ${what}`, () => expect(found).toBeTruthy()))
    process.stderr.write(`\nSKIPPED: ${name}: ${what} is not installed (npm run setup, scripts/README.md)\n\n`)
    describe.skip(name, define)
  }
}
