const tag = /<(\/?[a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)>/g

/**
 * The elements of a page in order, each with the names of its attributes. Fails if a `<` or `>` is not part of a tag, so that no parser can
 * take for an element what another takes for text.
 */
export function elementsOf(page: string): string[] {
  const document = page.replace(/^<!doctype html>\n/, '').replace(/(<style>)[^<]*(<\/style>)/, '$1$2')
  const tags = [...document.matchAll(tag)]
  expect(document.replaceAll(tag, '')).not.toMatch(/[<>]/)
  return tags.map(([, name = '', attributes = '']) => [name, ...attributeNames(attributes)].join(' '))
}

function attributeNames(attributes: string): string[] {
  return [...attributes.matchAll(/ ([a-z-]+)(?:="[^"]*")?/g)].map(([, name = '']) => name)
}
