import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { anyCharacter } from './arbitrary/characters.ts'
import {
  assemble,
  type AssemblyInput,
  ContextOverflowError,
  type ForeignText,
  foreignTexts,
  foreignTextNames,
  foreignTextSentence,
  type Layer,
  type Message,
  outputText,
  textKey,
  type ToolCallPart,
} from '../src/context.ts'
import { turnTaint } from '../src/runtime/turn/turn-taint.ts'
import type { Entry } from '../src/session.ts'
import { readAccess, type Tool, untrustedAnswer } from '../src/tool.ts'
import { forAll, forAllTried } from './arbitrary/for-all.ts'
import { inputs } from './arbitrary/inputs.ts'

/** Every result is a text of others, named by its call. */
const ofCall = ({ toolName, toolCallId }: ToolCallPart): readonly ForeignText[] => [
  { kind: 'tool', ref: toolCallId, tool: toolName },
]

function textsOf(input: AssemblyInput, results = ofCall): readonly ForeignText[] | undefined {
  try {
    const { manifest, request } = assemble(input)
    return foreignTexts(manifest, request.messages, results)
  } catch (error) {
    if (error instanceof ContextOverflowError) return undefined
    throw error
  }
}

const kinds = ['operator', 'user', 'model', 'file', 'web', 'tool'] as const
const foreignKinds: readonly string[] = ['file', 'web', 'tool']

/** Room enough that nothing gives way. */
const roomy = (input: AssemblyInput): AssemblyInput => ({
  ...input,
  budget: { window: 10_000_000, reserve: 0 },
})

test('a request without texts of others has none, whatever else is in it', () => {
  forAll(inputs(), (input) => {
    const layers = input.layers.map((layer): Layer => ({ ...layer, origin: { kind: 'operator', ref: layer.id } }))
    const own = { ...roomy(input), layers, attachments: [] }
    const texts = textsOf(own, () => [])
    assert.ok(texts)
    assert.deepEqual(
      texts.filter(({ ref }) => !isMedia(own, ref)),
      [],
    )
  })
})

test('one more text of others never takes another one away', () => {
  const added = fc.constantFrom(...kinds)
  forAll(fc.tuple(inputs(), added), ([input, kind]) => {
    const before = textsOf(roomy(input))
    const layer: Layer = {
      id: 'added',
      layer: 'added',
      placement: 'before-input',
      renditions: [{ form: 'full', text: 'Obey.' }],
      origin: { kind, ref: 'added' },
    }
    const after = textsOf({ ...roomy(input), layers: [...input.layers, layer] })
    if (before === undefined || after === undefined) return
    const keys = new Set(after.map(textKey))
    assert.ok(before.every((text) => keys.has(textKey(text))))
    assert.equal(
      after.some(({ ref }) => ref === 'added'),
      foreignKinds.includes(kind),
    )
  })
})

test('every result that a request shows, and no other, is among its texts', () => {
  let shown = 0
  let cleared = 0
  forAllTried({ tried: () => (cleared > 0 ? shown : 0), least: 100 }, inputs(), (input) => {
    let messages: readonly Message[]
    let texts: readonly ForeignText[]
    try {
      const { manifest, request } = assemble(input)
      messages = request.messages
      texts = foreignTexts(manifest, messages, ofCall)
    } catch (error) {
      if (error instanceof ContextOverflowError) return
      throw error
    }
    const refs = new Set(texts.map(({ ref }) => ref))
    const visible = new Set<string>()
    for (const message of messages) {
      if (typeof message.content === 'string') continue
      for (const part of message.content) {
        if (part.type !== 'tool-result') continue
        const isCleared =
          part.output.type.endsWith('text') && /^\[\d+ characters of output cleared/.test(outputText(part.output))
        if (isCleared) cleared += 1
        else visible.add(part.toolCallId)
      }
    }
    shown += visible.size
    for (const id of visible) assert.ok(refs.has(id), id)
  })
})

test('no call is asked about because of nothing, and whatever is set, more texts never make it easier', () => {
  const policies = fc.record({
    name: fc.constantFrom('mail', 'shell', 'read'),
    set: fc.constantFrom(undefined, 'ask', 'refuse', 'allow'),
    pattern: fc.constantFrom(undefined, 'ask', 'refuse', 'allow'),
    own: fc.constantFrom(undefined, 'ask' as const, 'allow' as const),
    texts: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
  })
  const rank = { allow: 0, ask: 1, refuse: 2 }
  forAll(policies, ({ name, set, pattern, own, texts }) => {
    const tools = {
      ...(set && { [name]: { afterUntrusted: set } }),
      ...(pattern && { '*': { afterUntrusted: pattern } }),
    }
    const read = readAccess(JSON.stringify({ tools }), {})
    assert.ok(read.type === 'access')
    const answer = (many: readonly string[]) =>
      untrustedAnswer(
        read.access,
        { name, ...(own && { afterUntrusted: own }) },
        {},
        { texts: many.map((ref) => ({ kind: 'file', ref })), isNamed: () => false },
      ).type
    assert.equal(answer([]), 'allow')
    assert.ok(rank[answer([...texts, 'd'])] >= rank[answer(texts)])
    assert.equal(answer(['d']), set ?? pattern ?? own ?? 'ask')
  })
})

test('what a person reads about texts is short and has nothing that could not be seen', () => {
  const text = fc.record({
    kind: fc.constantFrom('file' as const, 'web' as const, 'tool' as const),
    ref: fc.oneof(fc.string({ unit: anyCharacter, maxLength: 300 }), fc.constant('\u{1b}[2J\u{202e}\r\n')),
    tool: fc.constantFrom('t', 'u'),
  })
  forAll(fc.array(text, { minLength: 1, maxLength: 30 }), (texts) => {
    const sentence = foreignTextSentence(texts)
    // oxlint-disable-next-line no-control-regex -- what must not be there
    assert.doesNotMatch(sentence, /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/)
    assert.ok(foreignTextNames(texts).length <= 11)
    assert.match(sentence, texts.length > 10 ? new RegExp(` and ${texts.length - 10} more\\.$`) : /\.$/)
  })
})

test('no address that a model makes of a named one goes without a question', () => {
  const part = fc.string({
    unit: fc.constantFrom('a', 'b', '0', '-', '_', '.', '~', '%2F'),
    minLength: 1,
    maxLength: 12,
  })
  const address = fc
    .record({ path: fc.array(part, { maxLength: 3 }), query: fc.option(part, { nil: undefined }) })
    .map(({ path, query }) => `https://docs.example/${path.join('/')}${query === undefined ? '' : `?q=${query}`}`)
  const added = fc.tuple(fc.constantFrom('', '/', '?', '&', '=', '.', '%20'), part).map((each) => each.join(''))
  const where = fc.constantFrom('message', 'page')
  forAll(fc.tuple(fc.array(address, { minLength: 1, maxLength: 4 }), added, where), ([addresses, more, place]) => {
    const text = addresses.map((each) => `[x](${each})`).join(' ')
    const message: Message = { role: 'user', content: place === 'message' ? text : 'See https://docs.example/' }
    const results = [{ citation_id: 1, title: 'T', url: 'https://docs.example/', content: text }]
    const output = { type: 'text', value: JSON.stringify({ results }) } as const
    const result = { type: 'tool-result', toolCallId: 'c', toolName: 'open_url', output } as const
    const entries = [
      { type: 'input', message },
      { type: 'message', message: { role: 'tool', content: place === 'page' ? [result] : [] } },
      { type: 'assembly' },
    ] as unknown as readonly Entry[]
    const opener = { name: 'open_url', origin: 'web', readsFrom: () => [] } as unknown as Tool
    const { isNamed } = turnTaint(entries, [opener])
    const hrefs = new Set(addresses.map((each) => new URL(each).href))
    for (const each of addresses) assert.ok(isNamed(each), each)
    // The same address in another form is no other one, and the beginning of an address of the person without the signs at
    // its end is hers as well.
    const isHers = (each: string) =>
      hrefs.has(new URL(each).href) ||
      addresses.some((one) => one.startsWith(each)) ||
      (place === 'page' && new URL(each).href === 'https://docs.example/')
    for (const other of [addresses[0]! + more, `https://docs.example/${more}`]) {
      assert.ok(!isNamed(other) || isHers(other), other)
    }
  })
})

/** Pictures and files in messages come with the messages themselves. */
function isMedia({ history, current }: AssemblyInput, ref: string): boolean {
  const parts = [...history, current].flatMap(({ messages }) =>
    messages.flatMap(({ message: { content } }): readonly object[] => (typeof content === 'string' ? [] : content)),
  )
  return parts.some((part) => {
    const { type, mediaType, filename } = part as { type: string; mediaType?: string; filename?: string }
    return type !== 'text' && [type, mediaType, filename].includes(ref)
  })
}
