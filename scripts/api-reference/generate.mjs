// Writes docs/api/ from the docstrings of what the package exports. With --check it writes nothing, and fails if docs/api/ differs from
// the docstrings, if an exported name has no docstring, or if a link is broken.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Application, CommentTag, Converter, ReferenceType, ReflectionKind } from 'typedoc'

const root = resolve(import.meta.dirname, '../..')
const pages = join(root, 'docs/api')
const checking = process.argv.includes('--check')

/** The chapters of a page, in order, each with the files of src whose exports it describes. */
const chapters = {
  'The authorization server': /^(customer-sign-in|router|options|http\/node-messages|host\/call-host)\b/,
  'Signing customers in': /^(endpoints|authorization)\b/,
  'Connecting assistants': /^(connect|assistants)\b/,
  'The pages': /^pages\b/,
  Health: /^health\b/,
  'Tokens and keys': /^(tokens|protocol\/grant-types)\b/,
  'Guarding an API': /^resource-server\b/,
  Companies: /^(tenants|trusted-issuers|contract\/tenant-store)\b/,
  'Grants and clients': /^(administration|grants|clients|client-authentication|documents)\b/,
  Errors: /^(protocol|configuration)\b/,
  Events: /^(contract\/customer-sign-in-event|telemetry)\b/,
  OpenTelemetry: /^opentelemetry\b/,
  Stores: /^(contract\/token-store|stores|redis|postgres)\b/,
  'Testing an app': /^testing\b/,
  'Testing a store': /^store-contract\b/,
}

const introduction = `# API reference

Every name that the package exports: what it takes, returns and throws, and in which unit. The text is that of the docstrings in \`src/\`,
which an editor shows too. [The other pages](../README.md) say how the parts work together.

| import | what it has |
|---|---|
| [\`customer-sign-in\`](customer-sign-in.md) | \`createCustomerSignIn\`, its options and members and errors, the event of \`onEvent\`, and the stores in memory |
| [\`customer-sign-in/store\`](customer-sign-in.store.md) | the contract of a token store, for whoever writes one |
| [\`customer-sign-in/telemetry\`](customer-sign-in.telemetry.md) | what listeners are told: each kind of event, and the messages of the channels |
| [\`customer-sign-in/redis\`](customer-sign-in.redis.md) | \`RedisTokenStore\` |
| [\`customer-sign-in/postgres\`](customer-sign-in.postgres.md) | \`PostgresTokenStore\`, \`postgresSchema\`, \`MovingTokenStore\` |
| [\`customer-sign-in/opentelemetry\`](customer-sign-in.opentelemetry.md) | \`instrument\`: spans and metrics |
| [\`customer-sign-in/testing\`](customer-sign-in.testing.md) | \`testSignIn\`, \`tokensFor\` and \`assertionFor\` for the tests of your app, and the tests for a token store of your own |
`

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
process.chdir(root)

const app = await Application.bootstrapWithPlugins({
  plugin: ['typedoc-plugin-markdown'],
  entryPoints: Object.values(exports).flatMap(
    ({ types }) => types?.replace('dist', 'src').replace('.d.ts', '.ts') ?? [],
  ),
  tsconfig: join(root, 'tsconfig.build.json'),
  name: 'API reference',
  readme: 'none',
  disableSources: true,
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  sort: ['kind', 'source-order'],
  kindSortOrder: ['Function', 'Class', 'Interface', 'TypeAlias'],
  preservedTypeAnnotationTags: ['@throws'],
  categorizeByGroup: false,
  categoryOrder: Object.keys(chapters),
  intentionallyNotExported: ['Nothing'],
  validation: { notExported: true, invalidLink: true, notDocumented: false },
  flattenOutputFiles: true,
  outputFileStrategy: 'modules',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  pageTitleTemplates: { module: '{name}' },
  useCodeBlocks: true,
  expandObjects: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  typeDeclarationFormat: 'table',
  typeDeclarationVisibility: 'compact',
  tableColumnSettings: { hideSources: true, hideModifiers: true, hideInherited: true, hideOverrides: true },
})

app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const entryPoint of project.children) {
    entryPoint.name = entryPoint.name === 'index' ? 'customer-sign-in' : `customer-sign-in/${entryPoint.name}`
    if (!introduction.includes(`[\`${entryPoint.name}\`]`))
      app.logger.error(`The introduction lacks ${entryPoint.name}`)
    for (const exported of entryPoint.children) putInChapter(exported)
  }
  for (const declared of project.getReflectionsByKind(ReflectionKind.ClassOrInterface)) leaveToInterface(declared)
  const unions = project.getReflectionsByKind(ReflectionKind.TypeAlias).filter(({ type }) => isUnionOfTexts(type))
  for (const reflection of Object.values(project.reflections)) {
    nameWhatIsThrown(reflection)
    for (const union of unions) if (reflection !== union) nameUnion(reflection.type, union)
  }
})

const project = await app.convert()
if (!project) process.exit(1)
// Otherwise a callable interface has its description twice.
for (const declared of project.getReflectionsByKind(ReflectionKind.Interface)) {
  const [signature] = declared.signatures ?? []
  if (!signature) continue
  signature.comment ??= declared.comment
  delete declared.comment
}
app.validate(project)
for (const name of undocumented(project)) app.logger.warn(`${name} has no docstring`)

const written = checking ? mkdtempSync(join(tmpdir(), 'api-reference-')) : pages
app.options.setValue('out', written)
await app.generateOutputs(project)
writeFileSync(join(written, 'README.md'), introduction)
if (checking) {
  for (const name of stale(written)) app.logger.error(`docs/api/${name} is not up to date: npm run docs`)
  rmSync(written, { recursive: true })
}
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1

function putInChapter(exported) {
  const file = exported.project.getSymbolIdFromReflection(exported)?.fileName.replace(/.*\bsrc\//, '') ?? ''
  const [chapter] = Object.entries(chapters).find(([, files]) => files.test(file)) ?? []
  if (!chapter) app.logger.error(`generate.mjs knows no chapter for ${exported.name} of ${file}`)
  for (const { comment } of [exported, ...(exported.signatures ?? [])]) {
    comment?.blockTags.push(new CommentTag('@category', [{ kind: 'text', text: chapter ?? '' }]))
  }
}

/** typedoc drops the type of `@throws {Name}`, so put it in front of the text. */
function nameWhatIsThrown({ comment, project }) {
  for (const tag of comment?.getTags('@throws') ?? []) {
    const name = tag.typeAnnotation?.replace(/[{}]/g, '')
    const target = project.children.flatMap(({ children }) => children).find((exported) => exported.name === name)
    const said = target
      ? { kind: 'inline-tag', tag: '@link', text: name, target }
      : { kind: 'code', text: `\`${name}\`` }
    tag.content.unshift(said, { kind: 'text', text: ' ' })
  }
}

function isUnionOfTexts(type) {
  return type?.type === 'union' && type.types.every((member) => typeof member.value === 'string')
}

/** If a union contains all members of an exported union, show the name of that union instead of fifty literals. */
function nameUnion(type, union) {
  const texts = union.type.types.map(({ value }) => value)
  if (type?.type !== 'union' || texts.some((text) => type.types.every(({ value }) => value !== text))) return
  const others = type.types.filter(({ value }) => !texts.includes(value))
  type.types = [ReferenceType.createResolvedReference(union.name, union, union.project), ...others]
}

/** Describe the methods of a store once, at the interface, and so the members that a sign-in for tests has as well. */
function leaveToInterface(declared) {
  const base = (declared.extendedTypes ?? []).filter(({ name }) => name === 'CustomerSignIn')
  const described = [...(declared.implementedTypes ?? []), ...base].flatMap(
    ({ reflection }) => reflection?.children ?? [],
  )
  const names = described.map(({ name }) => name)
  for (const member of [...(declared.children ?? [])]) {
    if (names.includes(member.name)) declared.project.removeReflection(member)
  }
}

/**
 * The exported names and their members that have no docstring. An inline type counts as part of the name that has it, and a constructor as
 * part of its class.
 */
function undocumented(project) {
  const kinds =
    ReflectionKind.ClassOrInterface |
    ReflectionKind.TypeAlias |
    ReflectionKind.FunctionOrMethod |
    ReflectionKind.Property |
    ReflectionKind.Accessor |
    ReflectionKind.Variable
  return Object.values(project.reflections)
    .filter((reflection) => reflection.kindOf(kinds) && !isInPlace(reflection))
    .filter((reflection) => !reflection.inheritedFrom && reflection.type?.type !== 'literal')
    .filter((reflection) => ![reflection, ...(reflection.signatures ?? [])].some(isDescribed))
    .map((reflection) => reflection.getFullName())
}

function isDescribed(reflection) {
  const parameters = reflection.parameters ?? []
  return reflection.hasComment() || (parameters.length > 0 && parameters.every((parameter) => parameter.hasComment()))
}

function isInPlace({ parent }) {
  return parent !== undefined && (parent.kindOf(ReflectionKind.TypeLiteral) || isInPlace(parent))
}

function stale(fresh) {
  const names = new Set([...readdirSync(fresh), ...readdirSync(pages)])
  return [...names].filter((name) => textOf(join(fresh, name)) !== textOf(join(pages, name)))
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
