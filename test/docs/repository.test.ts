import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root, textOf } from './pages'

const forms = filesOf('.github/ISSUE_TEMPLATE').filter((file) => !file.endsWith('/config.yml'))
const workflows = filesOf('.github/workflows')
const packageJson = JSON.parse(textOf('package.json'))

describe('an issue form', () => {
  it.each(forms)('is valid, so that GitHub shows it: %s', (file) => {
    const { name, description, body } = read(file)
    expect([name, description]).toEqual([expect.any(String), expect.any(String)])
    const types = body.map(({ type }: { type: string }) => type)
    expect(['markdown', 'input', 'textarea']).toEqual(expect.arrayContaining(types))
    const fields = body.filter(({ type }: { type: string }) => type !== 'markdown')
    for (const { id, attributes } of fields)
      expect([id, attributes.label]).toEqual([expect.any(String), expect.any(String)])
    const ids = fields.map(({ id }: { id: string }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each(forms)('has no broken links: %s', (file) => {
    const links = [...textOf(file).matchAll(/\]\(\.\.\/blob\/main\/([^)#]+)(?:#([^)]+))?\)/g)]
    expect(links.length).toBeGreaterThan(0)
    for (const [, page = '', anchor] of links) {
      const headings = [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
      if (anchor !== undefined) expect(headings).toContain(anchor)
    }
  })

  it('is not for vulnerabilities: the chooser leads to the security policy', () => {
    const { blank_issues_enabled, contact_links } = read('.github/ISSUE_TEMPLATE/config.yml')
    expect(blank_issues_enabled).toBe(false)
    const [home] = packageJson.homepage.split('#')
    expect(contact_links.map(({ url }: { url: string }) => url)).toEqual([`${home}/blob/main/.github/SECURITY.md`])
  })
})

describe('package.json', () => {
  it('has one address for its repository, its issues and its home', () => {
    const [home] = packageJson.homepage.split('#')
    expect(packageJson.repository).toEqual({ type: 'git', url: `git+${home}.git` })
    expect(packageJson.bugs).toEqual({ url: `${home}/issues` })
    expect(textOf('.github/CONTRIBUTING.md')).toContain(`\`${home}\` is a placeholder`)
  })

  it('runs the quickstart by the command that its tests run with --once', () => {
    expect(packageJson.scripts['example:quickstart']).toBe('tsx examples/quickstart/main.ts')
    expect(textOf('test/field/examples/quickstart.test.ts')).toContain(
      `const command = ['--import', 'tsx', join('examples', 'quickstart', 'main.ts')]`,
    )
  })
})

describe('the README', () => {
  it('begins with two commands: one for a first look, one that sets a machine up and runs the tests', () => {
    const [first] = textOf('README.md').matchAll(/^```sh\n(.*?)```$/gms)
    expect(first?.[1]).toBe('npm ci && npm run example:quickstart -- --once\nnpm run setup && npm test\n')
    const ci = textOf('.ci/run')
    expect(ci).toMatch(/^npm run setup$.*^npx tsx scripts\/parts\/gate\.ts$/ms)
    expect(textOf('scripts/parts/gate.ts')).toContain("jest('test', 'npm', 'test', '--')")
    expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(['setup', 'test', 'example:quickstart']))
  })
})

describe('a workflow', () => {
  it.each(workflows)('may only read, except where a job says more: %s', (file) => {
    expect(read(file).permissions).toEqual({ contents: 'read' })
  })

  it.each(workflows)('pins each action: %s', (file) => {
    const jobs: { steps?: { uses?: string }[] }[] = Object.values(read(file).jobs)
    const actions = jobs.flatMap(({ steps = [] }) => steps.flatMap(({ uses }) => uses ?? []))
    expect(actions.filter((action) => !/@(v\d+|[0-9a-f]{40})$/.test(action))).toEqual([])
  })

  it('runs .ci/run on each push and pull request', () => {
    const { on, jobs } = read('.github/workflows/ci.yml')
    expect(Object.keys(on)).toEqual(['push', 'pull_request', 'workflow_call'])
    expect(jobs.check.steps.at(-1).run).toBe('bash .ci/run')
  })

  it('publishes a tagged version, with provenance, only after .ci/run has passed', () => {
    const { on, jobs } = read('.github/workflows/release.yml')
    expect(on).toEqual({ push: { tags: ['v*'] } })
    expect(jobs.check.uses).toBe('./.github/workflows/ci.yml')
    expect(jobs.publish.needs).toBe('check')
    expect(jobs.publish.permissions).toEqual({ contents: 'read', 'id-token': 'write' })
    expect(jobs.publish.steps.at(-1).run).toContain('npm publish --provenance')
  })
})

describe('dependabot.yml', () => {
  it('covers every folder that has a package.json, and the actions', () => {
    const { updates } = read('.github/dependabot.yml')
    const folders = updates.flatMap(({ directory, directories }: { directory?: string; directories?: string[] }) =>
      directory ? [directory] : directories,
    )
    expect(folders.sort()).toEqual([
      '/',
      '/',
      '/bench',
      '/examples/start-here',
      '/scripts/api-reference',
      '/test/field/assistants',
      '/test/field/frameworks',
      '/test/field/frameworks/nest-11',
      '/test/field/other-clients',
      '/test/field/vitest',
      '/test/support/postgres-servers',
    ])
  })
})

function filesOf(folder: string): string[] {
  return readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)
}

function read(file: string) {
  return parse(textOf(file))
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}
