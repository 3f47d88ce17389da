import assert from 'node:assert/strict'
import test from 'node:test'
import { messageText } from '../src/context.ts'
import { openedHome } from './home/opened-home.ts'

test('a file of an early message is announced for as long as it can be read, however far back that message is', async (t) => {
  const { runtime, say } = await openedHome(t)
  const { id } = await runtime.newSession({})
  const bytes = new Blob(['The sea is calm. '.repeat(700)]).stream()
  const file = await runtime.library.add({ name: 'sea.txt', bytes, owner: { type: 'session', id } })
  const { turn } = await runtime.submit({ text: '/say Read.', session: id, attachments: [file.id] })
  const events = runtime.events(id, { turn })
  while (!(await events.next()).done);

  const shown = async () => {
    const { request, manifest } = await runtime.preview({ session: id, input: 'And now?' })
    const texts = request.messages.map((message) => messageText(message)).join('\n')
    return { texts, entry: manifest.entries.find((entry) => entry.id === file.id)?.outcome }
  }
  for (let turns = 0; turns < 6; turns++) {
    await say(`/say ${'Waves come and go. '.repeat(300)}`, id)
    const { texts, entry } = await shown()
    if (entry === 'included') continue
    assert.match(texts, new RegExp(`\\[files not shown: sea\\.txt \\(${file.id}\\); read_attachment reads them\\]`))
    assert.equal(entry, 'omitted', 'a person sees it, too')
  }
  assert.deepEqual((await runtime.replay(id)).different, [])

  await runtime.library.remove(file.id)
  assert.doesNotMatch((await shown()).texts, /sea\.txt/)
})

test('a file that came without a message is not announced as missing', async (t) => {
  const { runtime, say } = await openedHome(t)
  const { id } = await runtime.newSession({})
  const bytes = new Blob(['The sea is calm.']).stream()
  const file = await runtime.library.add({ name: 'sea.txt', bytes, owner: { type: 'session', id } })
  await runtime.library.settled(file.id)
  await say('/say Good morning.', id)
  const { request, manifest } = await runtime.preview({ session: id, input: 'And now?' })
  assert.equal(request.messages.length, 3)
  assert.doesNotMatch(JSON.stringify(request.messages), /sea\.txt/)
  assert.equal(
    manifest.entries.find((entry) => entry.id === file.id),
    undefined,
  )
})

test('a file that came with several messages is above each of them, with one entry for each in the manifest', async (t) => {
  const { runtime } = await openedHome(t)
  const { id } = await runtime.newSession({})
  const bytes = new Blob(['The sea is calm.']).stream()
  const file = await runtime.library.add({ name: 'sea.txt', bytes, owner: { type: 'session', id } })
  const turns: string[] = []
  for (const text of ['/say One.', '/say Two.']) {
    const { turn } = await runtime.submit({ text, session: id, attachments: [file.id] })
    turns.push(turn)
    const events = runtime.events(id, { turn })
    while (!(await events.next()).done);
  }
  const { manifest } = await runtime.preview({ session: id, input: 'And now?' })
  const files = manifest.entries.filter(({ layer }) => layer === 'attachment')
  assert.deepEqual(
    files.map((entry) => [entry.id, entry.outcome]),
    [
      [file.id, 'included'],
      [`${file.id}@${turns[1]}`, 'included'],
    ],
  )
  assert.deepEqual((await runtime.replay(id)).different, [])
})

test('a file that is too large to go with its message is named by the failure, with what would help', async (t) => {
  const { runtime, say } = await openedHome(t)
  const bytes = new Blob([`${'The sea is calm. '.repeat(9_000)}The lighthouse burns red.`]).stream()
  const file = await runtime.library.add({ name: 'sea.txt', bytes, owner: { type: 'session', id: 'inbox' } })
  const { session, turn } = await runtime.submit({ text: 'What is the sea like?', attachments: [file.id] })
  const events = runtime.events(session, { turn })
  while (!(await events.next()).done);
  const end = (await runtime.store.entries(session, { types: ['turn-end'] })).at(-1)
  assert.match(JSON.stringify(end), /The file sea\.txt alone needs [\d,]+: ask about it in your next message/)
  const shown = await runtime.preview({ session, input: 'And the lighthouse?' })
  const texts = shown.request.messages.map((message) => messageText(message)).join('\n')
  assert.match(texts, new RegExp(`files not shown: sea\\.txt \\(${file.id}\\)`))
  const call = `/call search_attachment {"id": "${file.id}", "query": "lighthouse"}`
  const { results, text, offered } = await say(`${call}\n/say It burns red.`, session)
  assert.deepEqual([/The lighthouse burns red/.test(results[0]!), text], [true, 'It burns red.'])
  assert.ok(offered.includes('search_attachment'))

  const { state } = await runtime.library.file(file.id)
  if (state.type !== 'ready' || state.reading.kind !== 'text') return assert.fail(JSON.stringify(state))
  await runtime.store.setFileState(file.id, { type: 'ready', reading: { ...state.reading, indexed: false } })
  const early = await say(
    `/call search_attachment {"id": "${file.id}", "query": "harbour"}\n/say Nothing yet.`,
    session,
  )
  assert.match(
    early.results[0]!,
    /^Nothing of that was found in sea\.txt\. Its words are still being put into the index/,
  )
})
