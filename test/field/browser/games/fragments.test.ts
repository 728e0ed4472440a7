import { describeGames, type Game, keys, play, timeLimit } from './play'

// Where the Tab key begins if a browser heeds the text fragment: behind Deny, within Allow, or at the end of the page.
const fragments = [
  ['Deny', 'Tab'],
  ['Deny,Allow', 'shift+Tab'],
  ['Allow', 'shift+Tab'],
  ['End%20of%20the%20page', 'shift+Tab'],
].map(([text = '', key = '']) => ({ text, key }))

const fragmentGame = (text: string): Game => ({
  first: `onclick = () => { open(consent + '#:~:text=${text}', '_blank', 'noopener'); tell('ready') }`,
  inTab: true,
})

describeGames('nobody presses Allow who comes to it by a text fragment', (engine, count) => {
  it.each(fragments)(
    'with $key after an address with the text fragment $text',
    async ({ text, key }) => {
      for (const withoutHeader of [undefined, 'Document-Policy']) {
        const game = { ...fragmentGame(text), presses: keys(key, 'Return') }
        await play(`${key} after ${text}`, game, { engine, count, withoutHeader })
      }
    },
    timeLimit,
  )
})
