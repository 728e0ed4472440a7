import { describeWithBrowser } from '../../support/browser'
import { Visit } from '../../support/visit'
import { textOf } from '../pages'

const [, line = ''] = /^```js\n(await page\..*)\n```$/m.exec(textOf('docs/testing.md')) ?? []

describeWithBrowser('a browser test that presses Allow as docs/testing.md says', () => {
  it('gets to the client', async () => {
    const visit = await Visit.start()
    await visit.open(visit.request())
    await new Function('page', `return (async () => { ${line} })()`)(visit.page)
    expect((await visit.back()).get('code')).toMatch(/^csic_/)
  })
})
