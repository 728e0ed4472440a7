/**
 * Whether the environment variable `DEBUG` asks for a log with this name, as the package `debug` reads it: names with commas or white space
 * between them, `*` for any text, and `-` in front of a name that is left out.
 */
export function asksFor(name: string, names: string): boolean {
  const patterns = names.split(/[\s,]+/).filter(Boolean)
  const isNamed = (pattern: string) => new RegExp(`^${pattern.split('*').map(literal).join('.*')}$`).test(name)
  const leftOut = patterns.filter((pattern) => pattern.startsWith('-')).map((pattern) => pattern.slice(1))
  return !leftOut.some(isNamed) && patterns.some(isNamed)
}

function literal(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
}
