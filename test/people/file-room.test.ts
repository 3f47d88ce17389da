import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Asker, openTeam } from './team.ts'

interface Refusal {
  readonly code: string
  readonly message: string
  readonly hint?: string
}

interface Answered {
  readonly status: number
  readonly files?: readonly { readonly id: string }[]
  readonly refused?: readonly Refusal[]
  /** Where a form had one file, and that was refused. */
  readonly error?: Refusal
}

const bytesOf = (length: number) => 'a'.repeat(length)

async function hand(who: Asker, ...files: readonly (readonly [name: string, text: string])[]): Promise<Answered> {
  const form = new FormData()
  for (const [name, text] of files) form.append('file', new Blob([text], { type: 'text/plain' }), name)
  const sent = new Response(form)
  const response = await who.request('/api/files', {
    method: 'POST',
    headers: { 'content-type': sent.headers.get('content-type')! },
    body: await sent.text(),
  })
  return { status: response.status, ...((await response.json()) as Omit<Answered, 'status'>) }
}

test('a person has as many files as may be, is told what to do about one more, and has room again after a removal', async (t) => {
  const team = await openTeam(t, { people: { maxFiles: 2 } })
  const [ann, bob] = [await team.add('ann'), await team.add('bob')]
  const first = await hand(ann, ['one.txt', 'one'], ['two.txt', 'two'], ['three.txt', 'three'])
  assert.deepEqual([first.status, first.files?.length, first.refused?.length], [201, 2, 1])
  const sentence = (name: string) =>
    `The file ${name} was refused: there are 2 files, and 2 may be there. Remove one that is not needed any more.`
  assert.deepEqual([first.refused![0]!.code, first.refused![0]!.message], ['over-quota', sentence('three.txt')])
  const again = await hand(ann, ['four.txt', 'four'])
  assert.deepEqual([again.status, again.error?.code, again.error?.message], [507, 'over-quota', sentence('four.txt')])
  assert.equal(again.error!.hint, 'The owner of this gateway can allow more: `people.maxFiles`.')
  // Others have room of their own, and the owner as much as the disk.
  assert.equal((await hand(bob, ['one.txt', 'one'])).files?.length, 1)
  assert.equal((await hand(team.owner, ['a.txt', 'a'], ['b.txt', 'b'], ['c.txt', 'c'])).files?.length, 3)
  await ann.request(`/api/files/${first.files![0]!.id}`, { method: 'DELETE' })
  assert.equal((await hand(ann, ['five.txt', 'five'])).files?.length, 1)
  // Both see what is used.
  const { files } = await ann.json<{ readonly files: unknown }>('/api/status')
  assert.deepEqual(files, { files: 2, bytes: 7, maxFiles: 2 })
  const { people } = await team.owner.json<{
    readonly people: readonly {
      readonly name: string
      readonly usage: { readonly files: number; readonly fileBytes: number }
    }[]
  }>('/api/people')
  assert.deepEqual(
    people.map(({ name, usage }) => [name, usage.files, usage.fileBytes]),
    [
      ['ann', 2, 7],
      ['bob', 1, 3],
    ],
  )
})

test('files that arrive at once never have more bytes together than a person may have', async (t) => {
  const team = await openTeam(t, { people: { maxFileBytes: 1_000 } })
  const ann = await team.add('ann')
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, number) => hand(ann, [`${number}.txt`, `${number}`.padEnd(300, 'a')])),
  )
  assert.equal(answers.flatMap(({ files = [] }) => files).length, 3)
  for (const { status, error } of answers.filter(({ files }) => files === undefined)) {
    assert.deepEqual([status, error?.code], [507, 'over-quota'])
    assert.match(
      error!.message,
      /: it has \d+ bytes?, and 900 of 1000 are in use\. Remove files that are not needed any more\.$/,
    )
  }
  assert.equal((await hand(ann, ['small.txt', bytesOf(100)])).files?.length, 1)
  assert.equal((await hand(ann, ['more.txt', 'm'])).error?.code, 'over-quota')
  // A file in the body of a message is no way around it.
  const part = { type: 'file', file: { filename: 'in.txt', file_data: `data:text/plain;base64,${btoa(bytesOf(50))}` } }
  const response = await ann.request('/v1/chat/completions', {
    body: { model: 'rehearsal', messages: [{ role: 'user', content: [{ type: 'text', text: 'Read.' }, part] }] },
  })
  assert.ok([200, 400, 507].includes(response.status), String(response.status))
  const { files } = await ann.json<{ readonly files: unknown }>('/api/status')
  assert.deepEqual(files, { files: 4, bytes: 1_000, maxBytes: 1_000 })
})
