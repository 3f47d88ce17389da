import assert from 'node:assert/strict'
import test from 'node:test'
import {
  assemble,
  type AssemblyInput,
  available,
  type Manifest,
  type ManifestEntry,
  type Message,
  outline,
  toolCalls,
  toolResults,
} from '../src/context.ts'
import { forAll, outcomeOf } from './arbitrary/for-all.ts'
import { inputs } from './arbitrary/inputs.ts'

const slots = ['tools', 'system', 'preamble', 'history', 'before-input', 'input', 'after-input'] as const

test('a request is within its budget, or an overflow tells what was wanted', () => {
  forAll(inputs(), (input) => {
    const { manifest, assembly } = outcomeOf(input)
    assert.equal(manifest.budget.available, available(input.budget))
    if (assembly) assert.ok(manifest.used <= manifest.budget.available, outline(manifest))
    else assert.ok(manifest.used > manifest.budget.available, outline(manifest))
  })
})

test('the sums of an account are right, of an overflow too', () => {
  forAll(inputs(), (input) => {
    const { manifest, assembly } = outcomeOf(input)
    const sum = (entries: readonly { readonly tokens: number }[]) => entries.reduce((all, one) => all + one.tokens, 0)
    assert.equal(manifest.used, sum(manifest.entries))
    for (const slot of slots) {
      assert.equal(manifest.slots[slot], sum(manifest.entries.filter((entry) => entry.slot === slot)), slot)
    }
    if (!assembly) return
    assert.equal(sum(assembly.pieces), manifest.used)
    for (const [index, entry] of manifest.entries.entries()) {
      if (entry.slot === 'after-input') continue
      assert.equal(sum(assembly.pieces.filter((piece) => piece.entry === index)), entry.tokens, entry.id)
    }
  })
})

test('every candidate is accounted for exactly once', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    const found = manifest.entries.map((entry) => `${entry.slot === 'tools' ? 'tool ' : ''}${entry.id}`)
    assert.deepEqual(found, [...new Set(found)])
    for (const id of candidatesOf(input)) assert.ok(found.includes(id), `${id} is missing`)
    assert.deepEqual(
      found.filter(
        (id) => !candidatesOf(input).has(id) && !/^(earlier|announcement|t\d+\/(lead|unpaired-\d+))$/.test(id),
      ),
      [],
    )
  })
})

test('every call and every result that has no partner is accounted for', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    const given = [...input.history, input.current].flatMap((turn) => turn.messages.map(({ message }) => message))
    const left = manifest.entries.filter((entry) => entry.layer === 'unpaired').length
    assert.equal(left, given.flatMap(partners).length - pairedParts(given))
  })
})

test('an entry says what became of its candidate, and why', () => {
  forAll(inputs(), (input) => {
    for (const entry of outcomeOf(input).manifest.entries) assertConsistent(entry)
  })
})

test('the same input gives the same bytes, and is left as it was', () => {
  forAll(inputs(), (input) => {
    const once = JSON.stringify(outcomeOf(deepFrozen(input)))
    assert.equal(JSON.stringify(outcomeOf(structuredCloneOf(input))), once)
  })
})

test('calls and results in a request are paired, a result right behind its call', () => {
  forAll(inputs(), (input) => {
    const { assembly } = outcomeOf(input)
    if (!assembly) return
    const { messages } = assembly.request
    assert.equal(pairedParts(messages), messages.flatMap(partners).length)
  })
})

test('a request is in the order of the slots', () => {
  forAll(inputs(), (input) => {
    const { manifest, assembly } = outcomeOf(input)
    const order = manifest.entries.map((entry) => slots.indexOf(entry.slot))
    assert.deepEqual(
      order,
      order.toSorted((one, other) => one - other),
    )
    if (!assembly) return
    const { pieces, request } = assembly
    const standing = pieces.map((piece) => piece.entry)
    assert.deepEqual(
      standing,
      standing.toSorted((one, other) => one - other),
    )
    const contents = (from: readonly string[]) =>
      pieces.filter((piece) => from.includes(manifest.entries[piece.entry]!.slot)).map((piece) => piece.content)
    assert.deepEqual(contents(['tools']), request.tools)
    assert.deepEqual(contents(slots.slice(2)), request.messages)
    const spoken = contents(['system']) as readonly string[]
    if (!input.layout.ownSpacing) assert.equal(request.system ?? '', spoken.join('\n\n'))
    else for (const text of spoken) assert.ok(request.system!.includes(text.trim()))
  })
})

test('layers behind the input are one user message at the very end', () => {
  forAll(inputs(), (input) => {
    const { manifest, assembly } = outcomeOf(input)
    if (!assembly) return
    const standing = manifest.entries.filter((entry) => entry.slot === 'after-input' && entry.outcome !== 'omitted')
    const last = assembly.request.messages.at(-1)
    const behind = assembly.pieces.filter((piece) => manifest.entries[piece.entry]!.slot === 'after-input')
    assert.equal(behind.length, standing.length > 0 ? 1 : 0)
    if (standing.length === 0) return
    assert.deepEqual(last, { role: 'user', content: textsOf(input, standing).join('\n\n') })
  })
})

test('what a layer says is one of its renditions, and the turn being answered is never left out', () => {
  forAll(inputs(), (input) => {
    const { manifest, assembly } = outcomeOf(input)
    if (!assembly) return
    const current = manifest.entries.find((entry) => entry.id === input.current.id)
    assert.notEqual(current?.outcome, 'omitted')
    for (const { entry: index, content } of assembly.pieces) {
      const entry = manifest.entries[index]!
      if (!['system', 'preamble', 'before-input'].includes(entry.slot)) continue
      const text = typeof content === 'string' ? content : (content as Message).content
      assert.deepEqual([text], textsOf(input, [entry]))
      assert.notEqual((text as string).trim(), '')
    }
  })
})

test('a required layer that is not blank is always included', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    for (const layer of input.layers) {
      const priority = layer.priority ?? input.layout.priorities[layer.layer] ?? 'normal'
      const entry = manifest.entries.find(({ id }) => id === layer.id)!
      const blank = layer.renditions[0]!.text.trim() === ''
      if (blank) assert.equal(entry.reason?.code, 'blank')
      else if (priority === 'required') assert.notEqual(entry.outcome, 'omitted')
    }
  })
})

test('a manifest is plain JSON', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    assert.deepEqual(JSON.parse(JSON.stringify(manifest)) as Manifest, manifest)
  })
})

test('if everything fits, everything is included in full', () => {
  forAll(inputs(), (input) => {
    const { cut: _cut, earlier: _earlier, ...fresh } = input
    const roomy = { ...fresh, layout: { ...input.layout, headShare: 1 }, budget: { window: 10_000_000, reserve: 0 } }
    const { manifest } = assemble(roomy)
    const lost = manifest.entries.filter((entry) => entry.outcome !== 'included').map((entry) => entry.reason?.code)
    const never = ['head-share', 'shortage', 'low-water', 'budget']
    assert.deepEqual(
      lost.filter((code) => never.includes(code!)),
      [],
    )
    assert.equal(manifest.cut, undefined)
    assert.equal(
      manifest.entries.some((entry) => entry.id === 'announcement'),
      false,
    )
  })
})

function candidatesOf({ tools = [], layers, history, current, attachments = [], layout }: AssemblyInput): Set<string> {
  const messagesOf = ({ id, messages }: AssemblyInput['current']) => {
    if (layout.cut.unit === 'turn' || id === current.id) return [id]
    const whole = wholeMessages(messages.map(({ message }) => message))
    return whole.map((_, index) => `${id}/${index + 1}`)
  }
  return new Set([
    ...tools.map((tool) => `tool ${tool.name}`),
    ...layers.map((layer) => layer.id),
    ...attachments.map((attachment) => attachment.id),
    ...[...history, current].flatMap(messagesOf),
  ])
}

/** Messages of which something is left when lonely calls and results are taken out. */
function wholeMessages(messages: readonly Message[]): readonly Message[] {
  const paired = pairedSet(messages)
  return messages.filter((message) => {
    if (typeof message.content === 'string') return true
    const lonely = partners(message).filter((part) => !paired.has(part)).length
    return lonely === 0 || lonely < message.content.length
  })
}

/** Calls that wait for a result from outside, and results from outside. */
function partners(message: Message): readonly object[] {
  return [...toolCalls(message).filter((call) => !call.providerExecuted), ...toolResults(message)]
}

function pairedParts(messages: readonly Message[]): number {
  return pairedSet(messages).size
}

/** Said again, plainly: a result belongs to the last call of its id in the last assistant message, with only results between. */
function pairedSet(messages: readonly Message[]): ReadonlySet<object> {
  const paired = new Set<object>()
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'tool') continue
    const speaker = messages.slice(0, index).findLast(({ role }) => role !== 'tool')
    const calls = speaker ? toolCalls(speaker).filter((call) => !call.providerExecuted) : []
    for (const result of toolResults(message)) {
      const call = calls.findLast(({ toolCallId }) => toolCallId === result.toolCallId)
      if (!call || paired.has(call)) continue
      paired.add(call)
      paired.add(result)
    }
  }
  return paired
}

function assertConsistent(entry: ManifestEntry): void {
  assert.ok(entry.tokens >= 0 && Number.isInteger(entry.tokens), entry.id)
  switch (entry.outcome) {
    case 'included':
      assert.equal(entry.reason, undefined)
      assert.equal(entry.tokens, entry.fullTokens)
      assert.ok(entry.form)
      return
    case 'reduced':
      assert.ok(entry.reason)
      assert.ok(entry.tokens < entry.fullTokens, `${entry.id} stepped down and saved nothing`)
      assert.notEqual(entry.form, 'full')
      return
    case 'omitted':
      assert.ok(entry.reason)
      assert.equal(entry.tokens, 0)
      assert.equal(entry.form, undefined)
  }
}

function textsOf({ layers }: AssemblyInput, entries: readonly ManifestEntry[]): readonly string[] {
  return entries.map(({ id, form }) => {
    const layer = layers.find((one) => one.id === id)!
    return layer.renditions.find((rendition) => rendition.form === form)!.text
  })
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFrozen(inner)
  }
  return value
}

/** Counters are functions: they are shared, everything else is copied. */
function structuredCloneOf({ counter, ...rest }: AssemblyInput): AssemblyInput {
  return { ...structuredClone(rest), counter }
}
