import xterm from '@xterm/headless'
import { array, assert as always, asyncProperty, constantFrom, integer } from 'fast-check'
import assert from 'node:assert/strict'
import { PassThrough, Writable } from 'node:stream'
import test from 'node:test'
import type { Io } from '../capability.ts'
import { renderedAnswer } from './rendered-answer.ts'

const COLUMNS = 60

/** What a terminal shows, with all that was scrolled out of it, after an answer came in these pieces. */
async function shown(pieces: readonly string[], rows = 12): Promise<readonly string[]> {
  const terminal = new xterm.Terminal({
    cols: COLUMNS,
    rows,
    scrollback: 100_000,
    convertEol: true,
    allowProposedApi: true,
  })
  const stdout = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        terminal.write(String(chunk), done)
      },
    }),
    { isTTY: true, columns: COLUMNS, rows },
  )
  const io: Io = { stdin: new PassThrough(), stdout, stderr: stdout, environment: {} }
  const answer = renderedAnswer(io)
  for (const piece of pieces) answer.write(piece)
  answer.end()
  await new Promise((drawn) => stdout.write('', drawn))
  const { buffer } = terminal
  const lines = Array.from(
    { length: buffer.active.length },
    (_, at) => buffer.active.getLine(at)?.translateToString(true) ?? '',
  )
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1)
}

const blocks = [
  '# Tides of the harbour',
  'A **bold** word, a `code` and *five* more.\nIts second line.',
  `A paragraph ${'that goes on and '.repeat(12)}ends.`,
  '- one\n- two\n  - below two\n- three',
  '1. first\n2. second, which is longer than a line of this terminal has room for',
  '| Port | Range |\n|---|---|\n| Brest | 6.9 m |\n| Saint-Malo | 12.1 m |',
  '```js\nconst tide = 1\n\nconst port = `x`\n```',
  '> quoted words',
  'A lone * star, 5 * 3, and an [open bracket.',
  '---',
  '東京の潮 は高い 🌊',
]

test('an answer that comes in any pieces is shown as the whole answer is', async () => {
  await always(
    asyncProperty(
      array(constantFrom(...blocks), { minLength: 1, maxLength: 8 }),
      integer({ min: 1, max: 40 }),
      async (parts, size) => {
        const text = parts.join('\n\n')
        const pieces = Array.from(text).flatMap((_, at, all) =>
          at % size === 0 ? [all.slice(at, at + size).join('')] : [],
        )
        assert.deepEqual(await shown(pieces), await shown([text], 200))
      },
    ),
    { numRuns: 40 },
  )
})

test('headings, lists, tables and links are laid out, and the address of a link stays readable', async () => {
  const text =
    '# Tides\n\n* a [link](https://docs.example/a)\n\n| Port | Range |\n|---|---|\n| Brest | 6.9 m |\n\n**Done.**'
  assert.deepEqual(await shown([text]), [
    'Tides',
    '',
    '* a link (https://docs.example/a)',
    '',
    '┌───────┬───────┐',
    '│ Port  │ Range │',
    '├───────┼───────┤',
    '│ Brest │ 6.9 m │',
    '└───────┴───────┘',
    '',
    'Done.',
  ])
})

test('no line of a long block of code is lost or comes twice', async () => {
  const code = Array.from({ length: 400 }, (_, at) => `const line${at} = ${at}`)
  const text = `Look:\n\n\`\`\`ts\n${code.join('\n')}\n\`\`\`\n\nThat is all.`
  const lines = await shown(text.match(/.{1,50}/gs)!)
  assert.deepEqual(lines, ['Look:', '', '```ts', ...code, '```', '', 'That is all.'])
})

test('a text that would keep the parser busy is shown as it is written', async () => {
  const text = `${'*a '.repeat(3_000)}end`
  const lines = await shown(text.match(/.{1,30}/gs)!)
  assert.equal(lines.join('').replaceAll(' ', ''), text.replaceAll(' ', ''))
})
