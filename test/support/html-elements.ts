const tag = /<(\/?[a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)>/g

/**
 * The elements of a page in their order, each with the names of its attributes. Fails where there is a `<` or `>` that is no part of
 * a tag, so that what one reader takes for text no other can take for an element.
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
