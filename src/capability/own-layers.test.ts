import assert from 'node:assert/strict'
import test from 'node:test'
import { fillPlaceholders, type PlaceholderValues } from './own-layers.ts'

const values: PlaceholderValues = { date: '1 May 2026', tools: 'Use them.\nWell.', citations: '' }

const table: readonly (readonly [string, string, string, ...(readonly string[])])[] = [
  ['a date is put where it is asked for', 'Today is {{date}}.', 'Today is 1 May 2026.', 'date'],
  ['spaces and case make no difference', '{{ Date }}|{{DATE}}|{{\tdate }}', '1 May 2026|1 May 2026|1 May 2026', 'date'],
  ['values of several lines stand as they are', 'A\n{{tools}}\nB', 'A\nUse them.\nWell.\nB', 'tools'],
  ['a blank value takes its line', 'A\n  {{citations}}  \nB', 'A\nB', 'citations'],
  ['a blank value takes the last line', 'A\n{{citations}}', 'A', 'citations'],
  ['a blank value leaves a line that holds more', 'Cite: {{citations}}.\nB', 'Cite: .\nB', 'citations'],
  ['blank lines that ask for nothing stay', 'A\n\n{{date}}\n\nB', 'A\n\n1 May 2026\n\nB', 'date'],
  ['a line of blank and other values stays', '{{citations}}{{date}}', '1 May 2026', 'citations', 'date'],
  ['carriage returns stay', 'A\r\n{{citations}}\r\n{{date}}\r\n', 'A\r\n1 May 2026\r\n', 'citations', 'date'],
  [
    'other names stay as they are',
    '{{name}} {{ date of birth }} {date} {{dates}}',
    '{{name}} {{ date of birth }} {date} {{dates}}',
  ],
  [
    'a name is told once',
    '{{tools}} {{date}} {{tools}}',
    'Use them.\nWell. 1 May 2026 Use them.\nWell.',
    'tools',
    'date',
  ],
  ['braces around braces stay', '{{{date}}}', '{1 May 2026}', 'date'],
  ['a prompt that asks for nothing stays', 'A\n\nB\n', 'A\n\nB\n'],
  ['an empty prompt stays', '', ''],
]

for (const [promise, prompt, text, ...used] of table) {
  test(promise, () => assert.deepEqual(fillPlaceholders(prompt, values), { text, used }))
}

test('a value is never read for placeholders', () => {
  const { text } = fillPlaceholders('{{date}} {{tools}}', { date: '{{tools}}', tools: '{{date}} $& $1 $$' })
  assert.equal(text, '{{tools}} {{date}} $& $1 $$')
})

test('what nobody gives a value for stays as it is', () => {
  assert.deepEqual(fillPlaceholders('A\n{{tools}}\nB {{tide}}', { tide: 'high' }), {
    text: 'A\n{{tools}}\nB high',
    used: ['tide'],
  })
})
