import assert from 'node:assert/strict'
import test from 'node:test'
import type { SessionNotes } from '../src/capability.ts'
import { realGateway } from './end-to-end/gateway.ts'

test('`foreword notes` shows the notes of a session, has the newest written again, and leaves them out', async (t) => {
  const gateway = await realGateway(
    t,
    {
      models: [{ name: 'scripted' }],
      answer: ({ newest }) => ({
        text: newest.includes('Write the note') ? 'They agreed on feet.' : 'The tide comes in twice a day. '.repeat(36),
      }),
    },
    { context: { notes: 'index', reserve: 600, margin: 0 }, models: { 'ollama/scripted': { window: 4_000 } } },
  )
  const { session } = await gateway.say('How high is the water at the quay?')
  const none = await gateway.foreword('notes', session)
  assert.equal(none.stdout, 'There are no notes: nothing was cut out of this session, or its notes are left out.\n')
  for (let turn = 0; turn < 12; turn += 1) await gateway.say(`And at harbour ${1000 + turn}?`, { session })

  const { stdout } = await gateway.foreword('notes', session, '--json')
  const { notes, first } = JSON.parse(stdout) as SessionNotes
  assert.ok(notes.length > 0 && first.length > 0)
  const shown = await gateway.foreword('notes', session)
  assert.match(shown.stdout, /^note 1 {2}(?:turn \d+|\d+ turns, \d+ to \d+), \d+ tokens, an index\n/)
  assert.match(shown.stdout, /The first \d turns stay as said\./)

  // The message takes the room of the notes: they are kept, and what was not sent is named.
  await gateway.say('high '.repeat(2_950), { session })
  const unsent = await gateway.foreword('calls', session, 'last')
  assert.match(
    unsent.stdout,
    /Note \d+ left out: \d+ tokens wanted, \d+ of 3,400 are free beside what has to be sent; it is kept, and is sent/,
  )
  assert.match(
    unsent.stdout,
    /notes say what they held; \d+ of them (?:is|are) not sent in this call for want of room\./,
  )
  const after = JSON.parse((await gateway.foreword('notes', session, '--json')).stdout) as SessionNotes
  assert.deepEqual(after.notes.slice(0, notes.length), notes)
  assert.match((await gateway.foreword('replay', session)).stdout, /^(\d+) of \1 identical\n/)
  await gateway.say('And now?', { session })
  const sentAgain = await gateway.foreword('calls', session, 'last')
  assert.doesNotMatch(sentAgain.stdout, /Note \d+ left out/)

  const written = await gateway.foreword('notes', session, '--write')
  assert.match(written.stdout, /words of call call_\w+\n[\s\S]*They agreed on feet\./)
  const forgotten = await gateway.foreword('notes', session, '--forget')
  assert.match(forgotten.stdout, /^\d+ notes? (?:is|are) left out\.\n$/)
  assert.match((await gateway.foreword('notes', session)).stdout, /^There are no notes/)
  const missing = await gateway.foreword('notes', session, '--write')
  assert.match(missing.stderr, /has no notes/)

  const calls = await gateway.foreword('calls', session)
  assert.match(calls.stdout, /\bcut \d+/)
})
