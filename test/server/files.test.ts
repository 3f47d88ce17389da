import assert from 'node:assert/strict'
import test from 'node:test'
import { type Runtime } from '../home/features.ts'
import { MOST_BYTES } from './scripted-library.ts'
import { scriptedRuntime } from './scripted-runtime.ts'
import { served, TOKEN } from './served.ts'

interface Uploaded {
  readonly files: readonly { readonly id: string; readonly name: string; readonly owner: unknown }[]
  readonly refused: readonly { readonly name: string; readonly code: string; readonly message: string }[]
}

interface Refused {
  readonly error: { readonly code: string; readonly message: string }
}

type Part = readonly [field: string, text: string, name?: string]

function formOf(parts: readonly Part[]): FormData {
  const form = new FormData()
  for (const [field, text, name] of parts) {
    if (name === undefined) form.append(field, text)
    else form.append(field, new Blob([text]), name)
  }
  return form
}

function door(runtime: Runtime = scriptedRuntime()) {
  const { server, request, json } = served(runtime)
  const send = (
    body: FormData | string | ReadableStream<Uint8Array>,
    headers: Record<string, string> = {},
    path = '/api/files',
  ) =>
    server.fetch(
      new Request(`http://127.0.0.1:4141${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, ...headers },
        body,
        duplex: 'half',
      }),
    )
  return { runtime, server, request, json, send }
}

test('a file is uploaded, read, listed, downloaded and removed', async () => {
  const { request, json, send } = door()
  const answer = await send(formOf([['file', 'Spring tide is high. 🌊', 'Flüt "1".txt']]))
  assert.equal(answer.status, 201)
  const { files } = (await answer.json()) as Uploaded
  const { id } = files[0]!
  assert.equal(files[0]?.name, 'Flüt "1".txt', 'a browser writes quotes as %22')
  const quoted =
    '--cut\r\ncontent-disposition: form-data; name="file"; filename="a \\"b\\" [1].txt"\r\n\r\none\r\n--cut--\r\n'
  const other = await send(quoted, { 'content-type': 'multipart/form-data; boundary=cut' })
  const {
    files: [curl],
  } = (await other.json()) as Uploaded
  assert.equal(curl?.name, 'a "b" [1].txt', 'curl writes them behind a backslash')
  await request(`/api/files/${curl.id}`, { method: 'DELETE' })
  assert.deepEqual(files[0]?.owner, { type: 'session', id: 'inbox' })
  assert.deepEqual(await json('/api/files?owner=inbox'), { files })
  assert.deepEqual(await json(`/api/files/${id}?wait=1000`), files[0])
  const content = await request(`/api/files/${id}/content`)
  assert.equal(await content.text(), 'Spring tide is high. 🌊')
  assert.equal(content.headers.get('content-type'), 'application/octet-stream')
  assert.equal(content.headers.get('x-content-type-options'), 'nosniff')
  assert.match(
    content.headers.get('content-disposition')!,
    /^attachment; filename="[\w.-]+"; filename\*=UTF-8''Fl%C3%BCt%20/,
  )
  assert.equal((await request(`/api/files/${id}`, { method: 'DELETE' })).status, 204)
  assert.equal((await request(`/api/files/${id}`)).status, 404)
})

test('a text is read in pages, and none ends within a sign', async () => {
  const { json, send } = door()
  const { files } = (await (await send(formOf([['file', 'ab🌊cd', 'a.txt']]))).json()) as Uploaded
  const path = `/api/files/${files[0]!.id}/text`
  const page = { file: files[0]!.id, total: 6 }
  assert.deepEqual(await json(`${path}?limit=3`), { ...page, text: 'ab🌊', offset: 0, next: 4 })
  assert.deepEqual(await json(`${path}?offset=4`), { ...page, text: 'cd', offset: 4 })
  assert.deepEqual(await json(`${path}?offset=9`), { ...page, text: '', offset: 9 })
})

test('a file without text says why it has none, and a wait for one that is not read yet ends', async () => {
  const { json, send } = door()
  const form = formOf([
    ['file', 'x', 'a.broken'],
    ['file', 'x', 'b.png'],
    ['file', 'x', 'c.slow'],
  ])
  const { files } = (await (await send(form)).json()) as Uploaded
  const texts = await Promise.all(files.map(({ id }) => json<Refused>(`/api/files/${id}/text`)))
  assert.deepEqual(
    texts.map(({ error }) => error.message.replace(/^.*has no text: /, '')),
    ['It is broken. Hand in another one.', 'it is an image.', 'it is still being read.'],
  )
  const slow = await json<{ state: unknown }>(`/api/files/${files[2]!.id}?wait=20`)
  assert.deepEqual(slow.state, { type: 'processing' })
})

test('files go to the project, agent or session that is named before them, in the form or in the address', async () => {
  const { json, send } = door()
  const project = (await json<{ id: string }>('/api/projects', { body: { name: 'Tides' } })).id
  const named = (await (
    await send(
      formOf([
        ['project', project],
        ['file', 'one', '1.txt'],
        ['file', 'two', '2.txt'],
      ]),
    )
  ).json()) as Uploaded
  assert.deepEqual(
    named.files.map(({ name, owner }) => [name, owner]),
    [
      ['1.txt', { type: 'project', id: project }],
      ['2.txt', { type: 'project', id: project }],
    ],
  )
  const form = formOf([['file', 'three', '3.txt']])
  assert.equal((await send(form, {}, `/api/files?project=${project}`)).status, 201)
  const { files } = await json<Uploaded>(`/api/files?owner=project/${project}`)
  assert.equal(files.length, 3)
})

test('the files of a form keep its order, however long each upload takes', async () => {
  const runtime = scriptedRuntime()
  const { library } = runtime
  let delay = 20
  const slower = {
    ...library,
    add: async (file: Parameters<typeof library.add>[0]) => {
      await new Promise((resolve) => setTimeout(resolve, (delay -= 8)))
      return library.add(file)
    },
  }
  const { send } = door({ ...runtime, library: slower })
  const names = ['c.txt', 'a.txt', 'b.txt']
  const answer = await send(formOf(names.map((name) => ['file', `Words of ${name}`, name] as const)))
  assert.equal(answer.status, 201)
  assert.deepEqual(
    (await library.files()).map(({ name }) => name),
    names,
  )
})

test('a form that says what nobody can follow leaves nothing behind', async () => {
  const { json, send } = door()
  const project = (await json<{ id: string }>('/api/projects', { body: { name: 'Tides' } })).id
  const forms: readonly [readonly Part[], number, RegExp][] = [
    [
      [
        ['file', 'one', '1.txt'],
        ['project', project],
      ],
      400,
      /must come before the files/,
    ],
    [
      [
        ['folder', 'x'],
        ['file', 'one', '1.txt'],
      ],
      400,
      /no field "folder"/,
    ],
    [
      [
        ['project', project],
        ['agent', 'a'],
        ['file', 'one', '1.txt'],
      ],
      400,
      /has one owner/,
    ],
    [
      [
        ['project', 'none'],
        ['file', 'one', '1.txt'],
      ],
      404,
      /No project has the id none/,
    ],
    [
      [
        ['session', 'none'],
        ['file', 'one', '1.txt'],
      ],
      404,
      /No session has the id none/,
    ],
    [[['project', project]], 400, /has no file/],
    [
      [
        ['project', 'x'.repeat(2_000)],
        ['file', 'one', '1.txt'],
      ],
      400,
      /longer than 1000/,
    ],
    [Array.from({ length: 51 }, (_, at): Part => ['file', 'x', `${at}.txt`]), 400, /at most 50 files/],
  ]
  for (const [parts, status, message] of forms) {
    const answer = await send(formOf(parts))
    assert.deepEqual([answer.status, message.test(((await answer.json()) as Refused).error.message)], [status, true])
  }
  assert.deepEqual(await json('/api/files'), { files: [] })
})

test('a file that is too large is refused with a sentence, and keeps no other file back', async () => {
  const { json, send } = door()
  const large: Part = ['file', 'x'.repeat(300_000), 'large.txt']
  const alone = await send(formOf([large]))
  assert.equal(alone.status, 413)
  assert.match(((await alone.json()) as Refused).error.message, new RegExp(`large\\.txt was refused: .*${MOST_BYTES}`))
  const three = await send(formOf([['file', 'one', '1.txt'], large, ['file', 'two', '2.txt']]))
  assert.equal(three.status, 201)
  const { files, refused } = (await three.json()) as Uploaded
  assert.deepEqual(
    files.map(({ name }) => name),
    ['1.txt', '2.txt'],
  )
  assert.deepEqual(
    refused.map(({ name, code }) => [name, code]),
    [['large.txt', 'file-too-large']],
  )
  assert.equal((await json<Uploaded>('/api/files')).files.length, 2)
})

test('a file has one name, whether it is stored or refused', async () => {
  const { send } = door()
  for (const [written, name] of [
    ['Menü.txt'.normalize('NFD'), 'Menü.txt'],
    ['=?utf-8?q?Men=C3=BC.txt?=', 'Menü.txt'],
    ['a\u2028b\u202e.txt', 'a b .txt'],
    [' "1"\n2.txt ', '"1" 2.txt'],
  ] as const) {
    const form = formOf([
      ['file', 'one', written],
      ['file', 'x'.repeat(300_000), written],
    ])
    const { files, refused } = (await (await send(form)).json()) as Uploaded
    assert.deepEqual([files[0]?.name, refused[0]?.name], [name, name], written)
    assert.match(refused[0]!.message, new RegExp(`^The file ${name} was refused`))
  }
})

test('a body that is not a form and a truncated form are rejected and leave nothing', async () => {
  const { json, send } = door()
  assert.equal((await send('{}', { 'content-type': 'application/json' })).status, 415)
  assert.equal((await send('x', { 'content-type': 'multipart/form-data' })).status, 415)
  const type = { 'content-type': 'multipart/form-data; boundary=cut' }
  const whole = '--cut\r\ncontent-disposition: form-data; name="file"; filename="1.txt"\r\n\r\none\r\n'
  const half = `${whole}--cut\r\ncontent-disposition: form-data; name="file"; filename="2.txt"\r\n\r\ntw`
  for (const body of [half, whole, 'nothing of a form', '']) {
    const answer = await send(body, type)
    assert.equal(answer.status, 400, body)
  }
  const lost = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(half)),
    pull: (controller) => controller.error(new Error('the line is gone')),
  })
  assert.equal((await send(lost, type)).status, 400)
  assert.deepEqual(await json('/api/files'), { files: [] })
})

test('no page of another site can hand a file in', async () => {
  const { server, json } = door()
  const send = (headers: Record<string, string>) =>
    server.fetch(
      new Request('http://127.0.0.1:4141/api/files', {
        method: 'POST',
        headers,
        body: formOf([['file', 'x', 'x.txt']]),
      }),
    )
  const authorization = `Bearer ${TOKEN}`
  const entered = await server.fetch(new Request(`http://127.0.0.1:4141/?token=${TOKEN}`))
  const cookie = entered.headers.get('set-cookie')!.split(';', 1)[0]!
  const refused = [
    await send({}),
    await send({ origin: 'https://elsewhere.example', cookie }),
    await send({ origin: 'http://127.0.0.1:9999', cookie }),
    await send({ origin: 'null', authorization }),
    await send({ host: 'elsewhere.example', authorization }),
    await send({ cookie, 'sec-fetch-site': 'cross-site' }),
    await send({ cookie, 'sec-fetch-site': 'same-site' }),
  ]
  assert.deepEqual(
    refused.map(({ status }) => status),
    [401, 403, 403, 403, 403, 401, 401],
  )
  assert.deepEqual(await json('/api/files'), { files: [] })
  assert.equal((await send({ cookie, origin: 'http://127.0.0.1:4141', 'sec-fetch-site': 'same-origin' })).status, 201)
})

test('a gateway without a token rejects forms of foreign pages too', async () => {
  const runtime = scriptedRuntime()
  const { server } = served(runtime, { token: undefined })
  for (const origin of ['https://elsewhere.example', 'null', 'http://127.0.0.1:1']) {
    const request = new Request('http://127.0.0.1:4141/api/files', {
      method: 'POST',
      headers: { origin },
      body: formOf([['file', 'x', 'x.txt']]),
    })
    assert.equal((await server.fetch(request)).status, 403)
  }
  assert.deepEqual(await runtime.library.files(), [])
})

test('a message names the files above it, and may have no text then', async () => {
  const runtime = scriptedRuntime()
  const { request, json } = door(runtime)
  await json('/api/messages', { body: { text: '', attachments: ['file-2', 'file-1'] } })
  assert.deepEqual(runtime.submitted[0], { text: '', attachments: ['file-2', 'file-1'] })
  assert.equal((await request('/api/messages', { body: { text: ' ' } })).status, 400)
  assert.equal((await request('/api/messages', { body: { attachments: [] } })).status, 400)
})
