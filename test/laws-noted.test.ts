import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  assemble,
  type AssemblyInput,
  chars,
  ContextOverflowError,
  type ConversationNote,
  type Cut,
  type CutGain,
  type CutWorth,
  entryName,
  entrySentence,
  entryTurn,
  expectedCalls,
  layoutOf,
  type Manifest,
  type Message,
  noteId,
  type NoteWords,
  type Turn,
  turnNumber,
} from '../src/context.ts'

const WINDOW = 4_000
const RESERVE = 400

/** What is said in one turn. `steps`: characters of the results of its tool calls. */
interface Said {
  readonly asked: number
  readonly steps: readonly number[]
  readonly answered: number
  /** Whether words are ready before the turn begins, about all but so many of the newest turns. */
  readonly words: number | undefined
  /** Tokens of the head from then on. */
  readonly head: number
}

const talks = fc.array(
  fc.record({
    asked: fc.integer({ min: 1, max: 400 }),
    steps: fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 4 }),
    answered: fc.integer({ min: 1, max: 700 }),
    words: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    head: fc.constantFrom(200, 200, 200, 700),
  }),
  { minLength: 1, maxLength: 24 },
)

interface Call {
  readonly messages: readonly Message[]
  readonly cut: Cut | undefined
  readonly entries: ReturnType<typeof assemble>['manifest']['entries']
  readonly used: number
  readonly note: ConversationNote | undefined
  readonly gain: CutGain | undefined
  readonly input: AssemblyInput
  readonly turn: string
  readonly settled: readonly Turn[]
  readonly head: number
}

/**
 * Every call of a conversation, one after the other, as a runtime makes them: the marks and notes of each go into the next.
 * `notedFrom`: the turn from which on there are notes.
 */
function callsOf(talk: readonly Said[], worth?: CutWorth, notedFrom = 0): readonly Call[] {
  const calls: Call[] = []
  const settled: Turn[] = []
  let cut: Cut | undefined
  let written: readonly ConversationNote[] = []
  for (const [number, { asked, steps, answered, words, head }] of talk.entries()) {
    const id = `t${number}`
    const messages: Message[] = [{ role: 'user', content: `question ${number} ${'q'.repeat(asked)}` }]
    const at = settled.length - (words ?? 0)
    const ready: NoteWords | undefined =
      words === undefined || at < 1
        ? undefined
        : { through: settled[at - 1]!.id, text: `What was agreed before turn ${number}.`, call: `note-call-${number}` }
    const ask = () => {
      const input: AssemblyInput = {
        layout: layoutOf('auto'),
        layers: [{ id: 'head', layer: 'system-prompt', renditions: [{ form: 'full', text: 'h'.repeat(head) }] }],
        ...loaded(settled, cut),
        current: { id, messages: messages.map((message) => ({ message })) },
        tools: [{ name: 'find', inputSchema: {}, reads: 'history' }],
        budget: { window: WINDOW, reserve: RESERVE },
        counter: chars,
        ...(number < notedFrom
          ? {}
          : { notes: { written, ...(ready ? { words: ready } : {}), ...(worth ? { worth } : {}) } }),
        ...(cut ? { cut } : {}),
      }
      const { request, manifest, note, gain } = assemble(input)
      if (note) {
        const kept = new Set(manifest.cut?.notes?.map(({ content }) => content))
        written = [...written, note].filter(({ content }) => kept.has(content))
      }
      cut = manifest.cut
      const { entries, used } = manifest
      calls.push({
        messages: request.messages,
        cut,
        entries,
        used,
        note,
        gain,
        input,
        turn: id,
        settled: [...settled],
        head,
      })
    }
    ask()
    for (const [step, size] of steps.entries()) {
      const call = {
        type: 'tool-call' as const,
        toolCallId: `${id}-${step}`,
        toolName: 'run',
        input: { command: `make ${step}` },
      }
      const output = { type: 'text' as const, value: 'r'.repeat(size) }
      messages.push({ role: 'assistant', content: [call] })
      messages.push({
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: call.toolCallId, toolName: 'run', output }],
      })
      ask()
    }
    messages.push({ role: 'assistant', content: `answer ${number} ${'a'.repeat(answered)}` })
    settled.push({ id, messages: messages.map((message) => ({ message })) })
  }
  return calls
}

/** As a runtime reads it: the first turns, and those behind the mark of the last cut. */
function loaded(settled: readonly Turn[], cut: Cut | undefined): Pick<AssemblyInput, 'history' | 'earlier'> {
  const mark = cut?.dropBefore === undefined ? 0 : settled.findIndex(({ id }) => id === cut.dropBefore)
  const from = mark < 0 ? settled.length : mark
  const first = settled.filter(({ id }, index) => index < from && cut?.first?.includes(id))
  const turns = from - first.length
  return { history: [...first, ...settled.slice(from)], ...(turns > 0 ? { earlier: { turns, tokens: turns } } : {}) }
}

function forTalks(check: (calls: readonly Call[]) => void, notedFrom: fc.Arbitrary<number> = fc.constant(0)): void {
  fc.assert(
    fc.property(talks, notedFrom, (talk, from) => {
      let calls: readonly Call[]
      try {
        calls = callsOf(talk, undefined, from)
      } catch (error) {
        if (error instanceof ContextOverflowError) return fc.pre(false)
        throw error
      }
      check(calls)
    }),
    { numRuns: 150 },
  )
}

const ids = (call: Call, outcome: string) =>
  call.entries.flatMap((entry) => (entry.layer === 'turn' && entry.outcome === outcome ? [entry.id] : []))

test('with notes, every settled turn is whole in the request, covered by a note, or named as left out', () => {
  forTalks((calls) => {
    for (const call of calls) {
      const order = call.settled.map(({ id }) => id)
      const covered = new Set(
        (call.cut?.notes ?? []).flatMap(({ from, to }) => order.slice(order.indexOf(from), order.indexOf(to) + 1)),
      )
      const here = new Set(call.entries.map(({ id }) => id))
      for (const id of order) assert.ok(covered.has(id) || here.has(id), `${id} in the call of ${call.turn}`)
      const counted = (call.cut?.notes ?? []).reduce((sum, { turns }) => sum + turns, 0)
      assert.equal(counted, covered.size)
      for (const id of ids(call, 'included')) assert.ok(!covered.has(id), `${id} is in the request and in a note`)
    }
  })
})

test('with notes, a turn has the number that it has in the conversation, whatever is left out before it', () => {
  forTalks(
    (calls) => {
      for (const { entries, cut, settled, turn } of calls) {
        const manifest = { entries, cut } as Manifest
        const order = [...settled.map(({ id }) => id), turn]
        for (const entry of entries) {
          const id = entryTurn(entry)
          if (id !== undefined) assert.equal(turnNumber(entry, manifest), order.indexOf(id) + 1, `${id} in ${turn}`)
          if (id === undefined && entry.id === 'earlier') {
            const named = /^turns? (\d+)(?: to (\d+))?$/.exec(entryName(entry, manifest)) ?? assert.fail()
            const gone = order.slice(Number(named[1]) - 1, Number(named[2] ?? named[1]))
            assert.equal(gone.length, entry.reason?.['turns'])
            assert.ok(
              gone.every((each) => !entries.some((other) => entryTurn(other) === each)),
              `${gone.join()} in ${turn}`,
            )
          }
        }
      }
    },
    fc.constantFrom(0, 0, 8, 12),
  )
})

test('with notes, a request keeps to its budget', () => {
  forTalks((calls) => {
    for (const { used } of calls) assert.ok(used <= WINDOW - RESERVE)
  })
})

test('between two cuts the messages of the next call begin with those of the last one', () => {
  forTalks((calls) => {
    for (const [index, call] of calls.slice(1).entries()) {
      const before = calls[index]!
      if (JSON.stringify(before.cut) !== JSON.stringify(call.cut) || before.head !== call.head) continue
      if (before.entries.some(({ reason }) => reason?.code === 'shortage')) continue
      if (call.entries.some(({ reason }) => reason?.code === 'shortage')) continue
      assert.deepEqual(call.messages.slice(0, before.messages.length), before.messages)
    }
  })
})

test('a cut keeps the first turns and the notes that were there, byte for byte, unless it folds them', () => {
  forTalks((calls) => {
    for (const [index, call] of calls.slice(1).entries()) {
      const before = calls[index]!
      const notes = before.cut?.notes ?? []
      const now = call.cut?.notes ?? []
      const folded = call.note !== undefined && now.length === 1
      if (notes.length === 0 || folded) continue
      if ([...before.entries, ...call.entries].some(({ reason }) => reason?.code === 'shortage')) continue
      assert.deepEqual(now.slice(0, notes.length), notes)
      assert.deepEqual(call.cut?.first, before.cut?.first)
      const firsts = call.settled
        .filter(({ id }) => before.cut?.first?.includes(id))
        .flatMap(({ messages }) => messages)
      const same = firsts.length + notes.length
      assert.deepEqual(call.messages.slice(0, same), before.messages.slice(0, same))
    }
  })
})

test('first turns stay up to a quarter of the room beside an index, and up to a fifth beside words', () => {
  const firstOf = (share: number, words: number | undefined) => {
    const room = WINDOW - RESERVE - 200
    const said = { asked: 200, steps: [], answered: room * share - 220, words: undefined, head: 200 }
    const talk = [said, ...Array.from({ length: 9 }, () => ({ ...said, answered: 400, words }))]
    return callsOf(talk).find(({ note }) => note)?.cut?.first
  }
  assert.deepEqual(firstOf(0.18, 1), ['t0'])
  assert.equal(firstOf(0.23, 1), undefined)
  assert.deepEqual(firstOf(0.23, undefined), ['t0'])
  assert.equal(firstOf(0.27, undefined), undefined)
})

test('a note that is not sent for want of room is named with the turns that it is about, and stays for the next call', () => {
  const note = (number: number): ConversationNote => ({
    content: `sha256:${String(number).repeat(64)}`,
    from: `t${number * 2}`,
    to: `t${number * 2 + 1}`,
    turns: 2,
    text: `Note ${number}. ${'x'.repeat(500)}`,
  })
  const turn = (id: string, size: number): Turn => ({
    id,
    messages: [{ message: { role: 'user', content: 'q'.repeat(size) } }],
  })
  const written = [note(1), note(2)]
  const cut: Cut = { dropBefore: 't6', first: ['t0', 't1'], notes: written.map(({ text: _text, ...mark }) => mark) }
  const called = (size: number) =>
    assemble({
      layout: layoutOf('auto'),
      layers: [],
      history: ['t0', 't1', 't6'].map((id) => turn(id, 100)),
      earlier: { turns: 4, tokens: 900 },
      current: turn('t7', size),
      tools: [],
      budget: { window: WINDOW, reserve: RESERVE },
      counter: chars,
      notes: { written },
      cut,
    })
  const about = ({ manifest, request }: ReturnType<typeof called>) => ({
    sent: JSON.stringify(request.messages).match(/Note \d\./g),
    earlier: manifest.entries.flatMap((entry) =>
      entry.id === 'earlier' ? [entrySentence(entry, manifest)!.replace(/^.*wanted, /, '')] : [],
    ),
    notes: manifest.entries.flatMap((entry) =>
      entry.layer === 'note' && entry.outcome === 'omitted'
        ? [entrySentence(entry, manifest)!.replace(/^.*sent; /, '')]
        : [],
    ),
    kept: manifest.cut?.notes?.slice(0, 2).map(noteId),
  })
  const kept = written.map(noteId)
  const all = 'and notes say what they held'
  const stays = 'it is kept, and is sent in the next call that has room for it.'
  assert.deepEqual(about(called(1_000)), { sent: ['Note 1.', 'Note 2.'], earlier: [`${all}.`], notes: [], kept })
  assert.deepEqual(about(called(2_800)), {
    sent: ['Note 2.'],
    earlier: [`${all}; 1 of them is not sent in this call for want of room.`],
    notes: [stays],
    kept,
  })
  assert.deepEqual(about(called(3_300)), {
    sent: null,
    earlier: [`${all}; 2 of them are not sent in this call for want of room.`],
    notes: [stays, stays],
    kept,
  })
})

test('with notes, every candidate is in the account once', () => {
  forTalks((calls) => {
    for (const { entries } of calls) {
      const names = entries.map(({ slot, id }) => `${slot} ${id}`)
      assert.deepEqual([...new Set(names)], names)
    }
  })
})

test('a note covers more at each cut and is made only by a cut', () => {
  forTalks((calls) => {
    for (const [index, call] of calls.slice(1).entries()) {
      const covered = (of: Call) => (of.cut?.notes ?? []).reduce((sum, { turns }) => sum + turns, 0)
      const before = covered(calls[index]!)
      if (call.note) assert.ok(covered(call) > before)
      else assert.equal(covered(call), before)
    }
  })
})

/** Its last turns are small beside results that an earlier cut has cleared: what they came to does not count as filled. */
const longThenCleared: readonly Said[] = [
  { asked: 1, steps: [], answered: 1, words: undefined, head: 200 },
  { asked: 1, steps: [762], answered: 216, words: undefined, head: 200 },
  { asked: 17, steps: [], answered: 1, words: undefined, head: 700 },
  { asked: 1, steps: [348], answered: 1, words: undefined, head: 200 },
]

test('a cut for the sake of later calls is made only where it wins, by the sizes of the two prompts and at its prices', () => {
  const worths: fc.Arbitrary<CutWorth> = fc.record({
    calls: fc.integer({ min: 0, max: 200 }),
    read: fc.constantFrom(0, 0.1, 0.25, 1),
    write: fc.constantFrom(1, 1.25, 2),
    cliff: fc.option(
      fc.record({
        tokens: fc.integer({ min: 300, max: WINDOW }),
        read: fc.constantFrom(1, 2, 5),
        growth: fc.integer({ min: 1, max: 500 }),
      }),
      { nil: undefined },
    ),
  })
  let made = 0
  fc.assert(
    fc.property<[readonly Said[], CutWorth]>(talks, worths, (talk, worth) => {
      for (const { gain, input, used, messages } of callsOf(talk, worth)) {
        if (!gain) continue
        made += 1
        const { worth: _worth, ...notes } = input.notes!
        const without = assemble({ ...input, notes })
        // It was no cut that had to be made.
        assert.equal(without.note, undefined)
        const before = without.request.messages.map((message) => JSON.stringify(message))
        const common = messages.findIndex((message, index) => JSON.stringify(message) !== before[index])
        const again = assemble(input)
          .pieces.slice(-(messages.length - common))
          .reduce((sum, { tokens }) => sum + tokens, 0)
        const saved = without.manifest.used - used
        assert.ok(gain.saved <= saved && gain.again >= again, JSON.stringify([gain, saved, again]))
        const { cliff, read, write, calls } = worth
        const size = without.manifest.used
        const passes = cliff !== undefined && size > cliff.tokens
        assert.ok(passes || size > (WINDOW - RESERVE) * 0.5)
        // A cut above a cliff comes down below it, and says so.
        if (passes) assert.ok(used <= cliff.tokens, JSON.stringify([used, cliff]))
        assert.equal(gain.below, passes && gain.size - gain.saved < cliff.tokens ? cliff.tokens : undefined)
        // Call by call: what is left is read at the lower price for as long as it stays below.
        let won = 0
        for (let call = 0; call < calls; call += 1) {
          const isBelow = !passes || used + call * cliff.growth < cliff.tokens
          won += size * (passes ? cliff.read : read) - used * (isBelow ? read : cliff.read)
        }
        assert.ok(calls >= 8 && won > again * write)
      }
    }),
    { examples: [[longThenCleared, { calls: 20, read: 0.25, write: 1, cliff: undefined }]] },
  )
  assert.ok(made > 20, String(made))
})

test('how many calls are expected is no more than there were since the last long pause, and no more than there is room for', () => {
  const calls = (...uses: readonly number[]) => uses.map((used, index) => ({ at: index * 60_000, used }))
  const room = { available: 10_000, lifeSeconds: 300 }
  assert.equal(expectedCalls([], room).calls, 0)
  assert.deepEqual(expectedCalls(calls(1_000, 1_500, 2_000, 2_500), room), { calls: 4, growth: 500 })
  assert.equal(expectedCalls(calls(6_000, 7_000, 8_000, 9_000), room).calls, 1)
  const paused = [...calls(1_000, 1_100), { at: 3_600_000, used: 1_200 }, { at: 3_610_000, used: 1_300 }]
  assert.equal(expectedCalls(paused, room).calls, 2)
})
