import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUrlTool } from '../../src/capabilities/web-access/open-url.ts'
import { outputText, toolResults, unframedResults } from '../../src/context.ts'
import { scriptedModel } from '../../src/testing.ts'
import { opened } from './opened.ts'

test('pages that were opened stay apart when they are cut, in their turn and in the history', async (t) => {
  const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon']
  const openUrl = openUrlTool({
    fetch: async (url) => ({ type: 'fetched', bytes: Buffer.from(url), url, mediaType: 'text/plain' }),
    async readDocument({ url = '' }) {
      const name = new URL(url).pathname.slice(1)
      return {
        kind: 'text',
        title: name,
        text: Array.from({ length: 500 }, (_, at) => `${name}${at}`).join(' '),
        mediaType: 'text/plain',
      }
    },
  })
  const model = scriptedModel({
    facts: { window: 6_000 },
    answer: ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: `Read. ${'It says so. '.repeat(150)}` }
        : { toolCalls: [{ name: 'open_url', input: { urls: names.map((name) => `https://a.example/${name}`) } }] },
  })
  const here = await opened(t, { model, tools: [openUrl] })
  const { session } = await here.say('Read them.')
  for (const again of ['Once more.', 'And again.']) await here.say(again, { session })
  const sent = model.calls.map(({ request: { messages } }) =>
    messages.flatMap((message) => toolResults(unframedResults(message)).map(({ output }) => outputText(output))),
  )
  assert.equal(sent[1]!.length, 1)
  assert.ok(
    sent.some((results) => results.length > 1 && results[0] !== results.at(-1)),
    'one of the history is shorter',
  )
  for (const text of sent.flat().filter((result) => !/^\[\d+ characters of output cleared/.test(result))) {
    const { results, left_out: leftOut } = JSON.parse(text) as {
      results: { citation_id: number; title: string; url: string; content: string }[]
      left_out: string
    }
    assert.match(leftOut, /^\d+ of \d+ .*left out; read_\w+ shows them/)
    for (const { citation_id: id, title, url, content } of results) {
      assert.deepEqual([title, url], [names[id - 1], `https://a.example/${title}`])
      assert.deepEqual([...new Set(content.match(/[a-z]+(?=\d)/g))], [title])
    }
  }
})
