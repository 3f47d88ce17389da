import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import type { Manifest } from '../src/context.ts'
import { openedHome } from './home/opened-home.ts'

/** The smallest PNG: one pixel. */
const PIXEL = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
)

const file = fc.oneof(
  fc.record({
    name: fc.constantFrom('tides.txt', 'moon.md', 'ä.txt'),
    bytes: fc.array(fc.constantFrom('spring', 'tide', 'moon', '海', '\n'), { minLength: 1, maxLength: 400 }).map(words),
  }),
  fc.record({ name: fc.constantFrom('a.csv', 'b.csv'), bytes: fc.constantFrom('day,height\n1,2\n', 'a,b\n') }),
  fc.record({ name: fc.constantFrom('one.png', 'two.png'), bytes: fc.constant(PIXEL) }),
  fc.record({ name: fc.constant('broken.pdf'), bytes: fc.constant('%PDF-1.7 and then nothing') }),
)

const message = fc.record({
  text: fc.constantFrom('', 'Hello.', '/say A tide.'),
  files: fc.array(file, { minLength: 1, maxLength: 4 }),
})

test('a preview with attachments is the account of the call that is then made', async (t) => {
  const { runtime } = await openedHome(t, {}, { models: { rehearsal: { window: 16_384 } } })
  const add = (given: { readonly name: string; readonly bytes: string | Uint8Array<ArrayBuffer> }) =>
    runtime.library.add({
      name: given.name,
      bytes: new Blob([given.bytes]).stream(),
      owner: { type: 'session', id: 'inbox' },
    })
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 3 }), async (messages) => {
      let session: string | undefined
      for (const { text, files } of messages) {
        const attachments: string[] = []
        for (const each of files) attachments.push((await add(each)).id)
        // In another order than that of the uploads.
        attachments.reverse()
        const about = session === undefined ? {} : { session }
        const { manifest } = await runtime.preview({ ...about, input: text, attachments })
        const sent = await runtime.submit({ ...about, text, attachments })
        const events = runtime.events(sent.session, { turn: sent.turn })
        while (!(await events.next()).done);
        const [call] = await runtime.store.calls(sent.session, { last: 1 })
        assert.deepEqual(account(manifest, 'next-turn'), account(call!.manifest, sent.turn))
        session = sent.session
      }
    }),
    { numRuns: 15 },
  )
})

test('a preview gives no file away, and refuses one of another session', async (t) => {
  const { runtime, say } = await openedHome(t)
  const bytes = new Blob(['The sea is calm.']).stream()
  const { id } = await runtime.library.add({ name: 'sea.txt', bytes, owner: { type: 'session', id: 'inbox' } })
  await runtime.preview({ attachments: [id] })
  assert.equal((await runtime.library.file(id)).owner.id, 'inbox')
  await runtime.submit({ text: '/say Calm.', attachments: [id] })
  const { session } = await say('/say Elsewhere.')
  await assert.rejects(runtime.preview({ session, attachments: [id] }), /belongs to another session/)
})

/** What was sent and what it cost, with one name for the turn. */
function account({ entries, slots, used, budget, layout }: Manifest, turn: string): unknown {
  const named = JSON.stringify(entries).replaceAll(turn, 'TURN')
  return { entries: JSON.parse(named), slots, used, budget, layout }
}

function words(parts: readonly string[]): string {
  return parts.join(' ')
}
