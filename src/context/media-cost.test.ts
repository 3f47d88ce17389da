import assert from 'node:assert/strict'
import test from 'node:test'
import { imageTokens, UNKNOWN_IMAGE_TOKENS } from './image.ts'
import { type Media, mediaCost } from './media-cost.ts'
import type { Message, ToolOutput } from './message.ts'
import { o200k } from './o200k.ts'
import { declared, messageTokens, tokenx } from './token-counter.ts'
import { inForm } from './tool-output.ts'

/** A PNG of so many pixels: its header, and bytes up to its size. */
function png(width: number, height: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size).fill(120)
  bytes.set(Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'))
  const view = new DataView(bytes.buffer)
  view.setUint32(16, width)
  view.setUint32(20, height)
  return bytes
}

const picture = png(1600, 1200, 400_000)
const base64 = Buffer.from(picture).toString('base64')
const cost = imageTokens(1600, 1200)

function toolMessage(output: ToolOutput): Message {
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'look', output }] }
}

type ContentPart = Extract<ToolOutput, { type: 'content' }>['value'][number]

/** Every form in which the AI SDK has an image among what a tool answered. */
const forms: Readonly<Record<string, ContentPart>> = {
  bytes: { type: 'file', mediaType: 'image/png', data: { type: 'data', data: picture } },
  base64: { type: 'file', mediaType: 'image/png', data: { type: 'data', data: base64 } },
  'a data address': {
    type: 'file',
    mediaType: 'image',
    data: { type: 'url', url: new URL(`data:image/png;base64,${base64}`) },
  },
  'image-data': { type: 'image-data', mediaType: 'image/png', data: base64 },
  'file-data': { type: 'file-data', mediaType: 'image/png', data: base64 },
  'the older media': { type: 'media', mediaType: 'image/png', data: base64 } as unknown as ContentPart,
  'bytes after a round trip through JSON': {
    type: 'file',
    mediaType: 'image/png',
    data: { type: 'data', data: { ...(JSON.parse(JSON.stringify(Buffer.from(picture))) as object) } } as never,
  },
}

for (const [form, part] of Object.entries(forms)) {
  test(`an image in a tool result costs what its pixels say: ${form}`, () => {
    const message = toolMessage({ type: 'content', value: [part] })
    assert.deepEqual(
      [declared, tokenx, o200k].map((counter) => messageTokens(counter, message)),
      [0, cost + 4, cost + 4],
    )
  })
}

test('an image by URL costs as much as one of unknown size, plus its URL', () => {
  const url = 'https://example.org/map.png'
  const elsewhere = [
    { type: 'image-url', url },
    { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL(url) } },
    { type: 'file-url', mediaType: 'image/png', url },
  ] as const
  for (const part of elsewhere) {
    const tokens = messageTokens(tokenx, toolMessage({ type: 'content', value: [part] }))
    assert.equal(tokens, 4 + UNKNOWN_IMAGE_TOKENS + tokenx.text(url), part.type)
  }
  const uploaded = toolMessage({ type: 'content', value: [{ type: 'image-file-id', fileId: 'file-1' }] })
  assert.equal(messageTokens(tokenx, uploaded), 4 + UNKNOWN_IMAGE_TOKENS)
})

test('texts beside an image in a tool result are counted too', () => {
  const value: ContentPart[] = [{ type: 'text', text: 'Hello, world!' }, forms['base64']!]
  assert.equal(messageTokens(tokenx, toolMessage({ type: 'content', value })), 4 + tokenx.text('Hello, world!') + cost)
})

test('an image of an assistant and one of its reasoning cost what their pixels say', () => {
  for (const type of ['file', 'reasoning-file'] as const) {
    const message: Message = { role: 'assistant', content: [{ type, mediaType: 'image/png', data: base64 }] }
    assert.equal(messageTokens(tokenx, message), cost + 4, type)
  }
})

const page = '1 0 obj <</Type /Page /Parent 2 0 R>> endobj '

/** Files, and the pages that they cost. */
const files: Readonly<Record<string, readonly [Omit<Media, 'mediaType'>, number]>> = {
  'a PDF that shows its pages': [
    { data: Buffer.from(`%PDF-1.7 2 0 obj <</Type /Pages /Count 7>> ${page.repeat(7)}`) },
    7,
  ],
  'one that only tells their number': [
    { data: Buffer.from('%PDF-1.7 2 0 obj <</Type/Pages/Kids[3 0 R]/Count 12>>').toString('base64') },
    12,
  ],
  'one that hides them: by its size': [
    { data: Buffer.concat([Buffer.from('%PDF-1.7 '), Buffer.alloc(300_000, 120)]) },
    11,
  ],
  'one whose pages somebody counted': [{ data: 'aGk=', providerOptions: { foreword: { pages: 30 } } }, 30],
  'one that stands elsewhere': [{ data: { type: 'reference', reference: { openai: 'file-1' } } }, 1],
  'an empty one': [{ data: new Uint8Array() }, 1],
}

for (const [what, [file, pages]] of Object.entries(files)) {
  test(`a file costs what its pages do: ${what}`, () => {
    assert.equal(mediaCost({ mediaType: 'application/pdf', ...file }).tokens, pages * UNKNOWN_IMAGE_TOKENS)
  })
}

test('a text that is sent as bytes costs its words', () => {
  const data = Buffer.from('Grüße, Welt!')
  assert.deepEqual(mediaCost({ mediaType: 'text/plain', filename: 'a.txt', data }), {
    tokens: 0,
    texts: ['a.txt', 'Grüße, Welt!'],
  })
})

test('what is no image by its bytes, and no base64, costs what an image of unknown size does', () => {
  for (const data of ['!!!', 'aGk=', new Uint8Array(), undefined, null, {}]) {
    assert.equal(mediaCost({ mediaType: 'image/png', data }).tokens, UNKNOWN_IMAGE_TOKENS)
  }
})

test('a signature of 20,000 characters is counted with its reasoning, and with a call', () => {
  const signature = 'EqQBCkYIBBABGAIq'.repeat(1250)
  const providerOptions = { anthropic: { signature }, foreword: { note: signature } }
  const parts = [
    { type: 'reasoning', text: '', providerOptions },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'a', input: {}, providerOptions },
  ] as const
  for (const counter of [tokenx, o200k]) {
    for (const part of parts) {
      const message: Message = { role: 'assistant', content: [part] }
      const plain: Message = { role: 'assistant', content: [{ ...part, providerOptions: {} }] }
      assert.equal(messageTokens(counter, message) - messageTokens(counter, plain), counter.text(signature))
    }
    assert.ok(counter.text(signature) > 2000)
  }
})

test('a result that is an image can step down: what is left says what was there', () => {
  const value: ContentPart[] = [
    { type: 'text', text: 'The map.' },
    { ...forms['base64']!, filename: 'map.png' } as ContentPart,
  ]
  const message = toolMessage({ type: 'content', value })
  const excerpt = inForm({ message, tokens: messageTokens(tokenx, message) }, 'tool-output-excerpt', tokenx, undefined)
  assert.deepEqual(excerpt.message, toolMessage({ type: 'text', value: 'The map.\n[map.png]' }))
  assert.ok(excerpt.tokens < 20)
})
