import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { imageTokens, type Manifest, messageText } from '../src/context.ts'
import type { FileOwner, FileRow } from '../src/session.ts'
import { run } from './cli/recorded-io.ts'
import { servedConnection } from './cli/served-connection.ts'
import { imageFiles } from './document/files/image-file.ts'
import { openedHome } from './home/opened-home.ts'
import { served } from './server/served.ts'

const SEA = 'The sea is calm at noon.'

/** A home with a project, its files and a session in it, over HTTP. */
async function harbour(t: TestContext, files: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>) {
  const here = await openedHome(t)
  const { runtime } = here
  const { request, json } = served(runtime)
  const { id: project } = await runtime.projects.create({ name: 'Harbour' })
  const add = async (owner: FileOwner, name: string, bytes: string | Uint8Array<ArrayBuffer>) => {
    const { id } = await runtime.library.add({ name, bytes: new Blob([bytes]).stream(), owner })
    return runtime.library.settled(id)
  }
  const rows: FileRow[] = []
  for (const [name, bytes] of Object.entries(files)) rows.push(await add({ type: 'project', id: project }, name, bytes))
  const { id: session } = await runtime.newSession({ project })
  const post = async (attachments: readonly string[], text = 'Read.') => {
    const response = await request('/api/messages', { body: { session, text, attachments } })
    const answer = (await response.json()) as { turn: string; error?: { message: string } }
    return { ...answer, status: response.status }
  }
  /** Sends a message and waits for its end: the files that went with it, what the model read, and the account of it. */
  const send = async (text: string, attachments: readonly string[] = []) => {
    const { turn } = await post(attachments, text)
    const path = `/api/sessions/${session}/turns/${turn}?wait=20000`
    const { calls, outcome } = await json<{ calls: string[]; outcome: { type: string } }>(path)
    assert.equal(outcome.type, 'completed')
    const [input] = await runtime.store.entries(session, { turn, types: ['input'] })
    const read = await runtime.request(calls[0]!)
    return {
      files: (input?.type === 'input' && input.attachments) || [],
      texts: read.request.messages.map((message) => messageText(message)),
      manifest: (await runtime.store.call(calls[0]!))!.manifest,
    }
  }
  return { ...here, project, session, rows, add, post, send, json }
}

test('a file of the project is in the next message as it is at that moment, with its tokens, and stays there', async (t) => {
  const { runtime, session, rows, send, say, json } = await harbour(t, { 'sea.txt': SEA })
  const [sea] = rows
  const asked = { session, input: '/say Calm.', attachments: [sea!.id] }
  const preview = await json<{ manifest: Manifest }>('/api/context', { body: asked })
  assert.deepEqual(await runtime.library.files({ type: 'session', id: session }), [], 'a preview keeps nothing')

  const { files, texts, manifest } = await send('/say Calm.', [sea!.id])
  const [file] = files
  const tokens = sea!.state.type === 'ready' && sea!.state.reading.kind === 'text' && sea!.state.reading.tokens
  assert.deepEqual([file?.name, file?.kind, file?.tokens], ['sea.txt', 'text', tokens])
  assert.deepEqual((await runtime.library.file(file!.file)).owner, { type: 'session', id: session })
  assert.match(texts[texts.indexOf('/say Calm.') - 1]!, /: file "sea\.txt" \([^]*The sea is calm at noon\./)
  const account = ({ entries, used }: Manifest) => {
    const attached = entries.filter(({ layer }) => layer === 'attachment')
    return [used, attached.map(({ id, outcome }) => [id, outcome])]
  }
  assert.deepEqual(account(manifest), [preview.manifest.used, [[file!.file, 'included']]])
  assert.deepEqual(account(manifest), account(preview.manifest))

  await runtime.library.remove(sea!.id)
  const call = `/call search_attachment {"id": "${file!.file}", "query": "calm"}`
  assert.match((await say(`${call}\n/say Yes.`, session)).results.join(), /The sea is calm at noon/)
  const later = await send('/say And now?')
  assert.equal(later.texts.filter((text) => text.includes(SEA) && text.includes('file "sea.txt"')).length, 1)
  assert.deepEqual((await runtime.replay(session)).different, [])
})

test('an image of the project stays in its message when the project has lost it, and the same file is kept once', async (t) => {
  const image = new Uint8Array(imageFiles['image/png']!(64, 48))
  const { runtime, session, rows, send } = await harbour(t, { 'map.png': image, 'sea.txt': SEA })
  const ids = rows.map(({ id }) => id)
  const { files } = await send('/say Seen.', ids)
  assert.deepEqual([files[0]?.kind, files[0]?.tokens], ['image', imageTokens(64, 48)])
  assert.deepEqual((await send('/say Again.', ids)).files, files)
  await runtime.library.remove(ids[0]!)
  const kept = await runtime.library.files({ type: 'session', id: session })
  assert.deepEqual(
    kept.map(({ id }) => id),
    files.map(({ file }) => file),
  )
  assert.equal((await runtime.library.bytes(kept[0]!)).length, image.length)
})

test('files of the project that no message has room for are refused with both numbers, and nothing is kept of them', async (t) => {
  const { runtime, session, rows, post } = await harbour(t, {
    'a.txt': `${SEA} `.repeat(600),
    'b.txt': `${SEA}! `.repeat(600),
    'c.csv': `day,height\n${'1,2\n'.repeat(9_000)}`,
  })
  const [a, b, c] = rows.map(({ id }) => id)
  for (const [attachments, name] of [
    [[a!, b!], 'b.txt'],
    [[c!], 'c.csv'],
  ] as const) {
    const { status, error } = await post(attachments)
    const sentence = /^400 The file (\S+) has \d+ tokens, and the message has room for \d+\.$/
    assert.equal(sentence.exec(`${status} ${error?.message}`)?.[1], name)
  }
  assert.deepEqual(await runtime.library.files({ type: 'session', id: session }), [])
  assert.equal((await runtime.store.session(session))?.turns, 0)
})

test('files of other projects and of other sessions are refused', async (t) => {
  const { runtime, project, session, rows, add, post, json } = await harbour(t, { 'sea.txt': SEA })
  const { id: other } = await runtime.projects.create({ name: 'Elsewhere' })
  const { id: stranger } = await runtime.newSession({ project })
  const secret = await add({ type: 'project', id: other }, 'secret.txt', 'Hidden.')
  const theirs = await add({ type: 'session', id: stranger }, 'theirs.txt', 'Hidden.')
  const refused = async (id: string) => {
    const { status, error } = await post([id])
    assert.match(`${status} ${error?.message}`, /^400 .* belongs to (?:the project|another session)/)
    const preview = await json<{ error: { code: string } }>('/api/context', { body: { session, attachments: [id] } })
    assert.equal(preview.error.code, 'invalid-input')
  }
  for (const { id } of [secret, theirs]) await refused(id)
  await runtime.choose(session, { project: null })
  await refused(rows[0]!.id)
  assert.deepEqual(await runtime.library.files({ type: 'session', id: session }), [])
})

test('the terminal sends a file of the project by its name and by its id', async (t) => {
  const { runtime, project, rows } = await harbour(t, { 'sea.txt': SEA })
  const connection = servedConnection(runtime, 'running')
  for (const word of ['sea.txt', rows[0]!.id]) {
    const words = ['send', '/say Read.', '--project', project, '--file', word]
    const { code, stdout, stderr } = await run(words, { connection })
    assert.deepEqual([code, stdout], [0, 'Read.\n'], stderr)
    const [newest] = await runtime.store.sessions({ limit: 1 })
    const [input] = await runtime.store.entries(newest!.id, { types: ['input'] })
    assert.deepEqual(input?.type === 'input' && input.attachments?.map(({ name }) => name), ['sea.txt'])
  }
  const none = await run(['send', 'Read.', '--project', project, '--file', 'none.txt'], { connection })
  assert.deepEqual([none.code, /Cannot read none\.txt: no such file/.test(none.stderr)], [1, true])
  const input = `/project ${project}\n/file sea.txt\n/say Read.\n`
  assert.match((await run(['chat'], { connection, input })).stderr, /Attached sea\.txt to the next message\./)
})
