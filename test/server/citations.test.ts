import assert from 'node:assert/strict'
import test from 'node:test'
import { readUIMessageStream, uiMessageChunkSchema, type UIMessageChunk } from 'ai'
import { uiMessageStream } from '../../src/capabilities/ai-sdk-chat/http/ui-message-stream.ts'
import { type Entry, type EntryBody } from '../../src/session.ts'
import { citing, paper, said, trap } from './citing-script.ts'
import { scriptedModel } from '../../src/testing.ts'
import { opened, tool } from '../runtime/opened.ts'
import { scriptedRuntime } from './scripted-runtime.ts'
import { eventsOf, parseEvents, served } from './served.ts'

const whole = `${said[0]}\n\n${said[1].join('')}`

/** What of a chunk these tests look at. */
interface Chunk {
  readonly type: string
  readonly delta?: string
  readonly sourceId?: string
  readonly [field: string]: unknown
}

interface Completion {
  readonly choices: readonly {
    readonly message: { readonly content: string; readonly annotations?: readonly Annotation[] }
  }[]
  readonly foreword: { readonly citations?: readonly Annotation[] }
}

interface Annotation {
  readonly type: string
  readonly url_citation?: Cited
  readonly file_citation?: Cited
}

interface Cited {
  readonly start_index: number
  readonly end_index: number
}

function chunksOf(text: string): readonly Chunk[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('data: {'))
    .map((block) => JSON.parse(block.slice(6)) as Chunk)
}

const chat = { id: 'c', messages: [{ role: 'user', parts: [{ type: 'text', text: 'tides?' }] }] }

test('a client gets each source once, directly after its first citation', async () => {
  const { request } = served(scriptedRuntime({ script: citing }))
  const chunks = chunksOf(await (await request('/api/chat', { body: chat })).text())
  const told = chunks.filter(({ type }) => type === 'text-delta' || type.startsWith('source-'))
  assert.deepEqual(
    told.map(({ type, delta, sourceId }) => [type, delta ?? sourceId]),
    [
      ['text-delta', said[0]],
      ['text-delta', 'It rises ['],
      ['text-delta', '1], and falls [2][1] in 【2'],
      ['source-document', 'file-1'],
      ['source-url', 'https://sea.example/'],
      ['text-delta', '】. See `[2]`, [2024] and [3].'],
      ['source-document', 'x'],
    ],
  )
  assert.deepEqual(told.filter(({ type }) => type.startsWith('source-')).slice(0, 2), [
    {
      type: 'source-document',
      sourceId: 'file-1',
      mediaType: 'text/plain',
      title: 'Tides.pdf',
      providerMetadata: { foreword: { citation: 1, document: 'file-1', page: 3, headings: ['Moon'] } },
    },
    {
      type: 'source-url',
      sourceId: 'https://sea.example/',
      url: 'https://sea.example/',
      title: 'Sea',
      providerMetadata: { foreword: { citation: 2, document: 'https://sea.example/' } },
    },
  ])
})

test('the AI SDK reads the sources as parts of the message', async () => {
  const { request } = served(scriptedRuntime({ script: citing }))
  const chunks = chunksOf(await (await request('/api/chat', { body: chat })).text())
  const schema = uiMessageChunkSchema()
  for (const chunk of chunks) assert.ok((await schema.validate!(chunk)).success, JSON.stringify(chunk))
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk as unknown as UIMessageChunk)
      controller.close()
    },
  })
  let parts: readonly string[] = []
  for await (const message of readUIMessageStream({ stream })) parts = message.parts.map(({ type }) => type)
  assert.deepEqual(
    parts.filter((type) => type.startsWith('source-')),
    ['source-document', 'source-url', 'source-document'],
  )
})

test('a message that went another way than its deltas has its own sources', () => {
  const told = uiMessageStream('s', 't')
  const entry = (body: EntryBody): Entry => ({ ...body, session: 's', seq: 1, time: '2026-01-01T00:00:00.000Z' })
  const tokens = { counter: 'chars@1', full: 1, least: 1 }
  const sourcesOf = (text: string) =>
    chunksOf(text)
      .filter(({ type }) => type === 'reset-step' || type.startsWith('source-'))
      .map(({ sourceId, type }) => sourceId ?? type)
  told({ id: '1', type: 'entry', entry: entry({ type: 'assembly', turn: 't', call: 'c', sources: [paper, trap] }) })
  const draft = told({ id: '1.1', type: 'text-delta', turn: 't', call: 'c', text: 'Draft [3] and [1].' })
  const message = { role: 'assistant', content: 'Final [1].' } as const
  const final = entry({ type: 'message', turn: 't', call: 'c', message, tokens, citations: [paper] })
  assert.deepEqual(sourcesOf(draft), ['x', 'file-1'])
  assert.deepEqual(sourcesOf(told({ id: '2', type: 'entry', entry: final })), ['reset-step', 'file-1'])
})

test("an answer in OpenAI's format has the position of each marker: pages as annotations, files beside them", async () => {
  const { json } = served(scriptedRuntime({ script: citing }))
  const body = { user: 'u', messages: [{ role: 'user', content: 'tides?' }] }
  const { choices, foreword } = await json<Completion>('/v1/chat/completions', { body })
  const { content, annotations = [] } = choices[0]!.message
  assert.equal(content, whole)
  const markers = (given: readonly Annotation[]) =>
    given.map(({ type, url_citation: url, file_citation: file }) => {
      const { start_index: start, end_index: end } = (url ?? file)!
      return [type, content.slice(start, end)]
    })
  assert.deepEqual(markers(annotations), [
    ['url_citation', '[2]'],
    ['url_citation', '【2】'],
  ])
  assert.deepEqual(markers(foreword.citations ?? []), [
    ['file_citation', '[1]'],
    ['file_citation', '[1]'],
    ['file_citation', '[3]'],
  ])
  const start = content.indexOf('[1]')
  assert.deepEqual(foreword.citations?.[0]?.file_citation, {
    start_index: start,
    end_index: start + 3,
    file_id: 'file-1',
    filename: 'Tides.pdf',
    page: 3,
  })
})

test('a stream brings the same with its last chunk', async () => {
  const { request } = served(scriptedRuntime({ script: citing }))
  const body = { user: 'u', stream: true, messages: [{ role: 'user', content: 'tides?' }] }
  const text = await (await request('/v1/chat/completions', { body })).text()
  const last = chunksOf(text).at(-1) as unknown as {
    readonly choices: readonly { readonly delta: { readonly annotations: readonly Annotation[] } }[]
    readonly foreword: { readonly citations: readonly Annotation[] }
  }
  assert.equal(last.choices[0]!.delta.annotations.length, 2)
  assert.equal(last.foreword.citations.length, 3)
  const [{ url_citation: cited }] = last.choices[0]!.delta.annotations as readonly [Annotation]
  assert.equal(whole.slice(cited!.start_index, cited!.end_index), '[2]')
})

test('a response has them all as annotations of its messages, each by its place there', async () => {
  const { request, json } = served(scriptedRuntime({ script: citing }))
  const asked = { user: 'u', input: 'tides?' }
  const { output } = await json<{ output: readonly OutputMessage[] }>('/v1/responses', { body: asked })
  const parts = output.flatMap(({ content = [] }) => content)
  assert.equal(parts.map(({ text }) => text).join(''), whole)
  assert.deepEqual(
    parts.flatMap(({ text, annotations }) =>
      annotations.map(({ type, start_index: start, end_index: end, index, filename }) =>
        type === 'url_citation' ? text.slice(start, end) : `${filename} ${text.slice(index, index! + 3)}`,
      ),
    ),
    ['Tides.pdf [1]', '[2]', 'Tides.pdf [1]', '【2】', 'Trap [3]'],
  )
  const stream = await eventsOf(await request('/v1/responses', { body: { ...asked, stream: true } }))
  const added = stream.filter(({ event }) => event === 'response.output_text.annotation.added')
  assert.equal(added.length, parts.flatMap(({ annotations }) => annotations).length)
})

interface OutputMessage {
  readonly content?: readonly {
    readonly text: string
    readonly annotations: readonly {
      readonly type: string
      readonly start_index?: number
      readonly end_index?: number
      readonly index?: number
      readonly filename?: string
    }[]
  }[]
}

test('no stream shows a part of a citation, and the turn tells what its answer cites', async (t) => {
  const chunks = ['see [', '3', '][4', ']. [', '1', ', 2] `[', '1] ', '[20', '24]']
  const documents = ['a', 'b', 'c', 'd'].map((document) => ({ document, title: document, content: document }))
  const find = tool('find', async () => ({ ok: true, output: '', meta: { documents } }))
  const model = scriptedModel({
    answer: (_, n) => (n % 2 === 1 ? { toolCalls: [{ name: 'find', input: {} }] } : { text: chunks }),
  })
  const { runtime } = await opened(t, { model, tools: [find] })
  const { request, json } = served(runtime)

  const { session, turn } = await json('/api/messages', { body: { text: 'Go.' } })
  const events = parseEvents(await (await request(`/api/sessions/${session}/events?turn=${turn}`)).text())
  const page = chunksOf(await (await request('/api/chat', { body: chat })).text())
  const completion = { user: 'u', stream: true, messages: [{ role: 'user', content: 'Go.' }] }
  const compatible = chunksOf(await (await request('/v1/chat/completions', { body: completion })).text())
  const streams = {
    events: events.flatMap(({ data }) => (data.type === 'text-delta' ? [data.text!] : [])),
    page: page.flatMap(({ type, delta }) => (type === 'text-delta' ? [delta!] : [])),
    compatible: compatible.flatMap((chunk) => {
      const [choice] = chunk['choices'] as readonly [{ readonly delta: { readonly content?: string } }]
      return choice.delta.content === undefined ? [] : [choice.delta.content]
    }),
  }
  for (const [name, deltas] of Object.entries(streams)) {
    assert.equal(deltas.join(''), chunks.join(''), name)
    assert.doesNotMatch(deltas.join('|'), /\[[^\]|]*\|/, `${name} cuts none: ${deltas.join('|')}`)
  }

  const view = await json<{ readonly citations: readonly { readonly citation: number; readonly title: string }[] }>(
    `/api/sessions/${session}/turns/${turn}`,
  )
  assert.deepEqual(
    view.citations.map(({ citation, title }) => [citation, title]),
    [
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
      [4, 'd'],
    ],
  )
})
