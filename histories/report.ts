import type { Verdict } from './verdict'

/** The verdict for a reader with a minute: a line for each promise, first those that were not kept. */
export function report({ rotates, undecided, rows }: Verdict): string {
  const inOrder = [...rows.filter(({ kept, of }) => kept < of), ...rows.filter(({ kept, of }) => kept === of)]
  const width = Math.max(...inOrder.map(({ promise }) => promise.length))
  return [
    ...(rotates ? [] : ['This server does not rotate refresh tokens (RFC 9700 section 4.14.2).', '']),
    ...inOrder.map(({ promise, kept, of, otherwise }) =>
      `${kept === of ? 'ok  ' : 'NOT '} ${promise.padEnd(width)}  ${kept} of ${of}  ${otherwise.join('; ')}`.trimEnd(),
    ),
    ...(undecided > 0 ? ['', `${undecided} stories say nothing: the server was busy, or away.`] : []),
    '',
  ].join('\n')
}
