import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import test from 'node:test'
import {
  type AssemblyInput,
  available,
  type Layer,
  layouts,
  type Manifest,
  type ManifestEntry,
  outline,
  type Priority,
  type Request,
  smallCounters,
  toolResults,
  type Turn,
  usualLayout,
} from '../src/context.ts'
import { forAll, forAllTried, outcomeOf } from './arbitrary/for-all.ts'
import { inputs, shortInputs, wantedTokens, withRoom } from './arbitrary/inputs.ts'

const hardness: readonly Priority[] = ['low', 'normal', 'high', 'required']

test('the head is the same whatever is said behind it, short of a shortage', () => {
  forAll(fc.tuple(inputs(), inputs()), ([one, other]) => {
    const tailOfOther = { ...one, history: other.history, current: other.current, attachments: other.attachments ?? [] }
    const first = outcomeOf(one)
    const second = outcomeOf(tailOfOther)
    if (!first.assembly || !second.assembly) return
    if (isShort(first.manifest) || isShort(second.manifest)) return
    assert.equal(headOf(second), headOf(first))
  })
})

test('a larger window never gives the head less', () => {
  forAll(fc.tuple(inputs(), fc.integer({ min: 1, max: 4000 })), ([input, more]) => {
    const small = outcomeOf(input)
    const large = outcomeOf(withRoom(input, available(input.budget) + more))
    for (const before of small.manifest.entries.filter(isHead)) {
      const after = large.manifest.entries.find((entry) => entry.id === before.id && entry.layer === before.layer)!
      assert.ok(after.tokens >= before.tokens, `${before.id}: ${before.tokens} became ${after.tokens}`)
      assert.ok(before.outcome === 'omitted' || after.outcome !== 'omitted', `${before.id} was left out`)
    }
  })
})

for (const [when, some, runs] of [
  ['', inputs, 300],
  [', in a shortage too', shortInputs, 1000],
] as const) {
  test(`the head keeps to its share, unless only required layers in their smallest form and tools are left${when}`, () => {
    forAll(
      some(),
      (input) => {
        const { manifest } = outcomeOf(input)
        const { tools, system, preamble } = manifest.slots
        if (tools + system + preamble <= Math.floor(manifest.budget.available * input.layout.headShare)) return
        for (const entry of standing(manifest).filter(isHead)) {
          const layer = input.layers.find(({ id }) => id === entry.id)
          if (!layer) continue
          assert.equal(priorityOf(input, layer), 'required')
          if (input.layout.shrinks) assert.equal(smallerForms(layer, entry, input), 0)
        }
      },
      runs,
    )
  })
}

test('head layers shrink before any is left out, soft ones before hard ones, the last declared first', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    const holders = input.layers
      .map((layer) => ({ layer, entry: manifest.entries.find(({ id }) => id === layer.id)! }))
      .filter(({ entry }) => isHead(entry) && entry.reason?.code !== 'blank')
      .map(({ layer, entry }, index) => ({
        rank: hardness.indexOf(priorityOf(input, layer)),
        index,
        out: entry.outcome === 'omitted',
        steps: entry.outcome === 'omitted' ? Infinity : entry.form === 'full' ? 0 : 1,
        canShrink: input.layout.shrinks && entry.outcome !== 'omitted' && smallerForms(layer, entry, input) > 0,
      }))
    for (const gone of holders.filter((holder) => holder.out)) {
      for (const other of holders) {
        assert.ok(!other.canShrink, 'something was left out while something else could shrink')
        const softer = other.rank < gone.rank || (other.rank === gone.rank && other.index > gone.index)
        if (softer) assert.ok(other.out, 'a harder layer went before a softer one')
      }
    }
    for (const shrunk of holders.filter((holder) => holder.steps > 0)) {
      for (const other of holders) {
        if (other.rank < shrunk.rank) assert.ok(!other.canShrink, 'a harder layer shrank before a softer one')
        const equal = other.rank === shrunk.rank && other.index > shrunk.index
        if (equal && other.canShrink) assert.ok(other.steps > 0, 'an earlier layer shrank before a later one')
      }
    }
    if (!input.layout.shrinks) assert.ok(holders.every((holder) => holder.steps === 0 || holder.out))
  })
})

test('the head goes beyond its share only where it does not fit beside the least of the rest', () => {
  let went = 0
  forAllTried({ tried: () => went, least: 5 }, shortInputs(), (input) => {
    const { manifest } = outcomeOf(input)
    if (!manifest.entries.some((entry) => isHead(entry) && entry.reason?.code === 'shortage')) return
    went += 1
    const placed = outcomeOf(withRoom(input, 10_000_000)).manifest.entries
    const ofHead = input.layers.filter(({ id }) => isHead(placed.find((entry) => entry.id === id)!))
    const nothing = { id: input.current.id, messages: [] }
    const alone = outcomeOf({ ...input, layers: ofHead, history: [], current: nothing, attachments: [] }).manifest
    assert.ok(tokensIn(alone, isHead) + leastBehind(input) > manifest.budget.available)
  })
})

test('nothing of the tail gives way while all of it fits beside the least of the current turn', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    if (!manifest.entries.some((entry) => isTail(entry) && entry.reason?.code === 'shortage')) return
    const wanted = manifest.entries.filter(isTail).reduce((sum, entry) => sum + wantedOf(entry), 0)
    const least = outcomeOf(withRoom(input, 0)).manifest.slots.input
    assert.ok(tokensIn(manifest, isHead) + wanted + least > manifest.budget.available)
  })
})

test('nothing is reduced for a shortage while there is room for it', () => {
  let went = 0
  forAllTried(
    { tried: () => went, least: 20 },
    shortInputs(),
    (input) => {
      const { manifest, assembly } = outcomeOf(input)
      if (!assembly) return
      const free = manifest.budget.available - manifest.used
      for (const entry of manifest.entries.filter(({ reason }) => reason?.code === 'shortage')) {
        if (isHead(entry)) continue
        went += 1
        assert.ok(fullerBy(input, entry) > free, `${entry.id} could be fuller in ${free}`)
      }
      const head = manifest.entries.filter((entry) => isHead(entry) && entry.reason?.code === 'shortage')
      const lost = head.reduce((sum, entry) => sum + entry.fullTokens - entry.tokens, 0)
      if (head.length > 0) assert.ok(lost > free)
    },
    600,
  )
})

test('a layer that costs nothing stays where the current turn as it is sent takes all the room', () => {
  const value = [
    { type: 'text' as const, text: 'sunny'.repeat(100).slice(0, 420) },
    { type: 'file' as const, mediaType: 'image/png', data: { type: 'data' as const, data: 'aGk=' } },
  ]
  const call = { toolCallId: 'c1', toolName: 'search' }
  const input: AssemblyInput = {
    layout: layouts[usualLayout]!,
    layers: [{ id: 'free', layer: 'reminder', priority: 'low', renditions: [{ form: 'full', text: 's' }] }],
    counter: smallCounters.find(({ id }) => id === 'declared')!,
    history: [],
    current: {
      id: 't1',
      messages: [
        { message: { role: 'user', content: 's' }, tokens: 1 },
        { message: { role: 'assistant', content: [{ type: 'tool-call', ...call, input: {} }] }, tokens: 15 },
        {
          message: { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'content', value } }] },
          tokens: 2725,
        },
      ],
    },
    budget: { window: 0, reserve: 0, margin: 0 },
  }
  const least = outcomeOf(input).manifest.used
  const outcomes = [3, 2, 1, 0].map((less) => outcomeOf(withRoom(input, least - less)))
  for (const { manifest, assembly } of outcomes) {
    if (assembly) assert.equal(manifest.entries.find(({ id }) => id === 'free')?.outcome, 'included')
  }
  assert.ok(outcomes.at(-1)?.assembly)
})

test('with the head in the same forms a larger window never gives the current turn or the tail less', () => {
  let went = 0
  forAllTried(
    { tried: () => went, least: 100 },
    fc.tuple(
      fc.oneof(inputs(), shortInputs()),
      fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 4000 })),
    ),
    ([input, more]) => {
      const small = outcomeOf(input).manifest
      const large = outcomeOf(withRoom(input, available(input.budget) + more)).manifest
      const forms = ({ entries }: Manifest) => entries.filter(isHead).map(({ form }) => form)
      if (JSON.stringify(forms(small)) !== JSON.stringify(forms(large))) return
      went += 1
      const gained = tokensIn(large, isTail) - tokensIn(small, isTail)
      const both = `${outline(small)}\n\n${outline(large)}`
      assert.ok(gained >= 0, both)
      // A tail layer that comes back may take what the current turn had of its room, and no more.
      assert.ok(large.slots.input + gained >= small.slots.input, both)
      if (gained === 0) assert.ok(large.slots.input >= small.slots.input, both)
    },
    900,
  )
})

test('a result that nothing has answered is an excerpt as large as the room, in every layout', () => {
  let went = 0
  forAllTried({ tried: () => went, least: 20 }, shortInputs(), (given) => {
    if (given.counter.id === 'declared') return
    const input = { ...given, history: [], attachments: [], layers: [], current: unanswered(given.current) }
    const least = outcomeOf(withRoom(input, 0)).manifest.used
    const whole = wantedTokens(input)
    const { manifest, assembly } = outcomeOf(withRoom(input, Math.floor((least + whole) / 2)))
    assert.ok(assembly)
    const results = input.current.messages.flatMap(({ message }) => toolResults(message))
    // A picture goes whole or not at all, and what it leaves is no measure of an excerpt.
    const holdsPicture = results.some(({ output }) => output.type === 'content')
    if (whole === least || holdsPicture) return
    went += 1
    // Steps of 32 characters for each result, and a token where a word is cut.
    const step = results.length * 40
    // The note on earlier turns keeps its room, even where it does not fit: otherwise a larger window, in which it does,
    // would give the result less.
    const note = manifest.entries.find(({ id, outcome }) => id === 'announcement' && outcome === 'omitted')
    assert.ok(manifest.budget.available - manifest.used <= step + (note?.fullTokens ?? 0), outline(manifest))
  })
})

test('a shortage exists only if the required parts did not fit', () => {
  forAll(inputs(), (input) => {
    const roomy = outcomeOf(
      withRoom(input, Math.ceil(wantedTokens(input) / Math.max(0.01, input.layout.headShare)) + 1),
    )
    assert.equal(isShort(roomy.manifest), false)
  })
})

/** The turn with its first message and the newest step, whose results the model has not seen. */
function unanswered({ id, messages }: Turn): Turn {
  const newest = messages.findLastIndex(({ message }) => message.role === 'assistant')
  const said = newest < 1 ? messages : [messages[0]!, ...messages.slice(newest)]
  return { id, messages: said.map(({ message }) => ({ message })) }
}

/** What the tail and the current turn cost where there is no room at all. */
function leastBehind(input: AssemblyInput): number {
  const { slots } = outcomeOf(withRoom(input, 0)).manifest
  return slots.input + slots['before-input'] + slots['after-input']
}

function tokensIn({ entries }: Manifest, group: (entry: ManifestEntry) => boolean): number {
  return entries.filter(group).reduce((sum, entry) => sum + entry.tokens, 0)
}

/** In full, unless it is blank. */
function wantedOf({ fullTokens, reason }: ManifestEntry): number {
  return reason?.code === 'blank' ? 0 : fullTokens
}

/** What the next fuller form of a layer costs more; of anything else, its fullest. */
function fullerBy({ layers, layout, counter }: AssemblyInput, entry: ManifestEntry): number {
  const layer = layers.find(({ id }) => id === entry.id)
  if (!layer || !layout.shrinks) return entry.fullTokens - entry.tokens
  const useful: number[] = []
  for (const { text, tokens } of layer.renditions) {
    const cost = tokens ?? counter.text(text) + counter.perMessage
    if (text.trim() !== '' && (useful.length === 0 || cost < useful.at(-1)!)) useful.push(cost)
  }
  return Math.min(...useful.filter((cost) => cost > entry.tokens || entry.outcome === 'omitted')) - entry.tokens
}

function headOf({ manifest, assembly }: { manifest: Manifest; assembly?: { request: Request } | undefined }): string {
  const preamble = standing(manifest).filter((entry) => entry.slot === 'preamble')
  const { tools, system, messages } = assembly!.request
  return JSON.stringify({
    tools,
    system,
    preamble: messages.slice(0, preamble.length),
    entries: manifest.entries.filter(isHead),
  })
}

function isHead({ slot }: ManifestEntry): boolean {
  return slot === 'tools' || slot === 'system' || slot === 'preamble'
}

function isTail({ slot }: ManifestEntry): boolean {
  return slot === 'before-input' || slot === 'after-input'
}

function isShort({ entries }: Manifest): boolean {
  return entries.some((entry) => entry.reason?.code === 'shortage')
}

function standing({ entries }: Manifest): readonly ManifestEntry[] {
  return entries.filter((entry) => entry.outcome !== 'omitted')
}

function priorityOf({ layout }: AssemblyInput, layer: Layer): Priority {
  return layer.priority ?? layout.priorities[layer.layer] ?? 'normal'
}

/** How many of a layer's forms would still save something. */
function smallerForms(layer: Layer, entry: ManifestEntry, { counter }: AssemblyInput): number {
  const at = layer.renditions.findIndex((rendition) => rendition.form === entry.form)
  return layer.renditions
    .slice(at + 1)
    .filter(
      ({ text, tokens }) => text.trim() !== '' && (tokens ?? counter.text(text) + counter.perMessage) < entry.tokens,
    ).length
}
