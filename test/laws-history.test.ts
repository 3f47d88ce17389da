import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import test from 'node:test'
import {
  assemble,
  type Assembly,
  type AssemblyInput,
  available,
  chars,
  type Cut,
  declared,
  layoutOf,
  leastTokens,
  type Manifest,
  type ManifestEntry,
  type Message,
  messageTokens,
  outline,
  type Turn,
  unframedResults,
} from '../src/context.ts'
import { forAll, forAllTried, outcomeOf } from './arbitrary/for-all.ts'
import { inputs, later, soundInputs, upToStep, withRoom } from './arbitrary/inputs.ts'
import { longTurnMessages } from './arbitrary/messages.ts'

test('the kept history is the newest, without a gap', () => {
  forAll(inputs(), (input) => {
    const { manifest, assembly } = outcomeOf(input)
    const standing = historyOf(manifest).map((entry) => entry.outcome !== 'omitted' || !isCut(entry))
    assert.deepEqual(
      standing,
      standing.toSorted((one, other) => Number(one) - Number(other)),
      outline(manifest),
    )
    if (!assembly) return
    const given = input.history.flatMap((turn) => turn.messages.map(({ message }) => message))
    const kept = keptMessages(assembly, ['turn', 'user', 'assistant', 'tool']).filter((message) =>
      given.includes(message),
    )
    assert.deepEqual(
      kept,
      given.filter((message) => kept.includes(message)),
    )
  })
})

test('a kept history begins with a user message, where whole turns are kept', () => {
  forAll(inputs(), (input) => {
    const { assembly } = outcomeOf(input)
    if (!assembly || input.layout.cut.unit === 'message') return
    const kept = keptMessages(assembly, ['turn', 'attachment', 'announcement'])
    if (kept.length > 0) assert.equal(kept[0]!.role, 'user')
    const spoken = keptMessages(assembly, ['turn', 'attachment'])
    if (spoken.length > 0) assert.equal(spoken[0]!.role, 'user')
  })
})

test('a tool result never leads, where single messages are kept', () => {
  forAll(inputs(), (input) => {
    const { assembly } = outcomeOf(input)
    if (!assembly || input.layout.cut.unit === 'turn') return
    assert.notEqual(keptMessages(assembly, ['user', 'assistant', 'tool'])[0]?.role, 'tool')
  })
})

test('nothing is cut while everything fits, and a cut goes down to the low-water mark', () => {
  let went = 0
  forAllTried({ tried: () => went, least: 10 }, soundInputs(), (given) => {
    const input = { ...without(given, 'cut', 'earlier', 'tools'), attachments: [] }
    const { manifest, assembly } = outcomeOf(input)
    if (!assembly || isShort(manifest)) return
    const conversation = manifest.entries.filter(({ slot }) => slot === 'history' || slot === 'input')
    const wanted = conversation.reduce((sum, entry) => sum + entry.fullTokens, 0)
    const { budget, used, slots } = manifest
    const layers = used - slots.history - slots.input
    const cut = conversation.some(isCut)
    assert.equal(cut, wanted + layers > budget.available)
    if (!cut) return
    const turns = historyOf(manifest).filter((entry) => entry.outcome !== 'omitted')
    if (input.layout.cut.unit === 'turn' && turns.length < 2) return
    if (turns.length === 0) return
    went += 1
    assert.ok(used <= lowWaterMark(manifest, input.layout.cut.lowWater), outline(manifest))
  })
})

test('the newest turn stays if it fits at all, where whole turns are kept', () => {
  forAll(soundInputs(), (given) => {
    const input = { ...without(given, 'cut', 'earlier', 'tools'), attachments: [] }
    if (input.layout.cut.unit === 'message' || input.history.length === 0) return
    const { manifest, assembly } = outcomeOf(input)
    if (!assembly || manifest.entries.some((entry) => entry.id === input.history.at(-1)!.id && entry.tokens > 0)) return
    const alone = outcomeOf(withRoom({ ...input, history: input.history.slice(-1) }, manifest.budget.available))
    assert.equal(alone.manifest.slots.history, 0)
  })
})

test('tool outputs of old turns step down first, the oldest first, then those of the current turn, then turns go', () => {
  let went = 0
  forAllTried({ tried: () => went, least: 10 }, soundInputs(), (given) => {
    const input = without(given, 'cut')
    const { manifest } = outcomeOf(input)
    const { cut, shrinks } = input.layout
    if (cut.unit === 'message') return
    const turns = historyOf(manifest).map((entry) => ({ ...entry, ...formsOf(input, entry.id) }))
    if (!shrinks) return assert.ok(turns.every((turn) => turn.outcome !== 'reduced'))
    const kept = turns.filter((turn) => turn.outcome !== 'omitted')
    for (const [index, turn] of kept.entries()) {
      if (turn.form === 'full') continue
      for (const older of kept.slice(0, index)) {
        const could = turn.form === 'tool-output-excerpt' ? older.excerpt : older.cleared
        assert.ok(older.tokens <= could, `${older.id} is fuller than ${turn.id}, which is newer\n${outline(manifest)}`)
      }
    }
    const current = manifest.entries.find(({ slot, layer }) => slot === 'input' && layer === 'turn')!
    const isCleared = (turn: (typeof kept)[number]) => assert.equal(turn.tokens, turn.cleared, outline(manifest))
    const newest = kept.at(-1)
    if (newest && newest.form !== 'full') kept.slice(0, -1).forEach(isCleared)
    if (current.outcome === 'reduced') kept.forEach(isCleared)
    if (turns.length > kept.length && !isShort(manifest)) {
      went += 1
      kept.forEach(isCleared)
      assert.equal(current.tokens, clearedCurrent(input), outline(manifest))
    }
  })
})

test('results of a tool that keeps its output stay complete in every turn', () => {
  forAll(soundInputs(), (input) => {
    const { assembly } = outcomeOf(input)
    const kept = new Set(input.tools?.flatMap(({ name, keepsOutput }) => (keepsOutput ? [name] : [])))
    if (!assembly || kept.size === 0) return
    const given = new Set(input.history.flatMap(({ messages }) => messages.flatMap((each) => resultsOf(each.message))))
    const now = new Set(input.current.messages.flatMap((each) => resultsOf(each.message)))
    for (const message of assembly.request.messages) {
      for (const result of resultsOf(unframedResults(message))) {
        const [, toolName = ''] = JSON.parse(result) as string[]
        if (kept.has(toolName) && !now.has(result) && !shrunkHere(assembly)) assert.ok(given.has(result), result)
      }
    }
  })
})

/** Only where what must stand does not fit may anything of the current turn shrink. */
function shrunkHere({ manifest }: Assembly): boolean {
  return manifest.entries.some(({ slot, reason }) => slot === 'input' && reason?.code === 'shortage')
}

function resultsOf({ content }: Message): readonly string[] {
  if (typeof content === 'string') return []
  return content.flatMap((part) =>
    part.type === 'tool-result' ? [JSON.stringify([part.toolCallId, part.toolName, part.output])] : [],
  )
}

test('between two cuts the next call begins with the messages of the last one', () => {
  let went = 0
  forAllTried(
    { tried: () => went, least: 15 },
    fc.tuple(soundInputs(), fc.string({ maxLength: 10 })),
    ([input, said]) => {
      const before = outcomeOf(input)
      if (!before.assembly || isShort(before.manifest)) return
      const next = later(withCut(input, before.manifest.cut), said)
      const { manifest, assembly } = outcomeOf(withRoom(next, 10_000_000))
      const was = talkOf(before.assembly)
      const now = talkOf(assembly!)
      if (before.manifest.cut) went += 1
      // Where the note found no room before, it stands in front of the rest now.
      const noted = before.manifest.entries.some(({ id, outcome }) => id === 'announcement' && outcome === 'omitted')
      assert.deepEqual(now.slice(noted ? 1 : 0, was.length + (noted ? 1 : 0)), was, outline(manifest))
      assert.deepEqual(movedMarks(next, before.manifest.cut, manifest.cut), [])
    },
  )
})

test('in a turn too, a cut that is passed from step to step moves only if its call would not fit', () => {
  let went = 0
  forAllTried(
    { tried: () => went, least: 15 },
    fc.tuple(soundInputs(), longTurnMessages(), fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 4 })),
    ([given, said, growth]) => {
      const current = { id: given.current.id, messages: said.map((message) => ({ message })) }
      const steps = stepEnds(current)
      let input = without({ ...given, current }, 'cut')
      if (input.counter === declared || input.layout.cut.lowWater === 1) return
      let before: { readonly talk: readonly string[]; readonly cut: Cut | undefined } | undefined
      for (const [index, end] of steps.entries()) {
        const step = upToStep(withRoom(input, available(input.budget) + (growth[index] ?? 0)), end)
        const { manifest, assembly } = outcomeOf(step)
        if (!assembly || isShort(manifest) || hasHiddenNote(manifest)) before = undefined
        else {
          const talk = talkOf(assembly)
          if (before && JSON.stringify(before.cut) === JSON.stringify(manifest.cut)) {
            if (manifest.cut) went += 1
            assert.deepEqual(talk.slice(0, before.talk.length), before.talk, outline(manifest))
          } else if (before) {
            const stayed = assemble(withRoom(withCut(step, before.cut), 10_000_000)).manifest
            assert.ok(stayed.used > manifest.budget.available, outline(manifest))
          }
          before = { talk, cut: manifest.cut }
        }
        input = withCut({ ...step, current }, manifest.cut)
      }
    },
  )
})

test('marks with no result between them are one mark, and a call that changes nothing says the same of its cut', () => {
  const settled = (id: string, said: string, result: string): Turn => {
    const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: { q: 'x' } } as const
    const output = { type: 'text', value: result } as const
    const messages: readonly Message[] = [
      { role: 'user', content: said },
      { role: 'assistant', content: [call] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'search', output }] },
      { role: 'assistant', content: 'Sunny.' },
    ]
    return { id, messages: messages.map((message) => ({ message })) }
  }
  const input: AssemblyInput = {
    layout: layoutOf('auto'),
    layers: [],
    counter: chars,
    budget: { window: 1000, reserve: 0 },
    history: [settled('t1', 'x'.repeat(400), 'Sunny.'), settled('t2', 'And now?', 'sunny '.repeat(500))],
    current: { id: 't3', messages: [{ message: { role: 'user', content: 'x'.repeat(600) } }] },
    cut: { clearBefore: 't2/3', excerptBefore: 't3' },
  }
  const { cut } = assemble(input).manifest
  assert.deepEqual(cut, { dropBefore: 't2', clearBefore: 't3' })
  assert.deepEqual(assemble(withCut(input, cut)).manifest.cut, cut)
})

test('marks only move forward', () => {
  forAll(fc.tuple(soundInputs(), fc.array(fc.nat(300), { minLength: 2, maxLength: 5 })), ([start, more]) => {
    let input = without(start, 'cut')
    for (const tokens of more) {
      const { manifest, assembly } = outcomeOf(input)
      if (!assembly) return
      assert.deepEqual(
        movedMarks(input, input.cut, manifest.cut).filter((way) => way === 'back'),
        [],
        outline(manifest),
      )
      input = later(withCut(input, manifest.cut), 'x'.repeat(tokens))
    }
  })
})

test('turns that a cut drops need not be loaded: the request is the same', () => {
  let went = 0
  forAllTried({ tried: () => went, least: 10 }, inputs(), (given) => {
    const input = withoutStrays(without(given, 'earlier'))
    const first = outcomeOf(input)
    if (!first.assembly || !first.manifest.cut) return
    const marked = { ...input, cut: first.manifest.cut }
    const whole = outcomeOf(marked)
    const from = markedTurn(marked, first.manifest.cut.dropBefore)
    if (!whole.assembly || from < 1) return
    went += 1
    const partial = outcomeOf(loadedFrom(marked, from))
    assert.deepEqual(partial.assembly?.request, whole.assembly.request)
    assert.deepEqual(partial.manifest.cut, whole.manifest.cut)
  })
})

test('the order of attachments decides nothing except their order in the turn', () => {
  forAll(fc.tuple(inputs(), fc.array(fc.nat(9), { minLength: 3, maxLength: 3 })), ([given, ranks]) => {
    const files = [...new Map((given.attachments ?? []).map((file) => [file.turn, file])).values()]
    const input = { ...given, attachments: files }
    const shuffled = { ...given, attachments: files.toSorted((one, other) => rank(one.id) - rank(other.id)) }
    function rank(id: string): number {
      return ranks[Number(id.at(-1)) % ranks.length]!
    }
    const once = outcomeOf(input)
    const again = outcomeOf(shuffled)
    assert.deepEqual(again.assembly?.request, once.assembly?.request)
    assert.deepEqual(again.manifest.cut, once.manifest.cut)
    assert.equal(again.manifest.used, once.manifest.used)
  })
})

test('a loader may stop where the least that the newest turns can cost no longer fits: the request is the same', () => {
  let went = 0
  forAllTried({ tried: () => went, least: 10 }, soundInputs(), (given) => {
    const input = withoutStrays(without(given, 'earlier'))
    const whole = outcomeOf(input)
    const stop = loaderStop(input, whole.manifest.budget.available)
    const from = Math.max(stop, Math.min(input.history.length, markedTurn(input, input.cut?.dropBefore)))
    if (from < 1) return
    went += 1
    const partial = outcomeOf(loadedFrom(input, from))
    assert.deepEqual(partial.assembly?.request, whole.assembly?.request)
    assert.deepEqual(partial.manifest.cut, whole.manifest.cut)
    assert.equal(partial.manifest.used, whole.manifest.used)
  })
})

test('what was dropped is announced to the model if it can read it, and to nobody else', () => {
  forAll(inputs(), (input) => {
    const { manifest, assembly } = outcomeOf(input)
    if (!assembly) return
    const gone = manifest.entries.filter(
      (entry) => entry.slot === 'history' && entry.outcome === 'omitted' && isCut(entry),
    )
    const offered = (what: 'history' | 'files') => (input.tools ?? []).some(({ reads }) => reads === what)
    const files = gone.filter((entry) => entry.layer === 'attachment')
    const wanted =
      (gone.some((entry) => entry.layer !== 'attachment') && offered('history')) ||
      (files.length > 0 && offered('files'))
    const entry = manifest.entries.find((one) => one.id === 'announcement')
    assert.equal(entry !== undefined, wanted, outline(manifest))
    const [told] = keptMessages(assembly, ['announcement'])
    if (!told) return assert.ok(!entry || manifest.used + entry.fullTokens > manifest.budget.available)
    if (!offered('files')) return
    for (const file of files) {
      const { name } = input.attachments!.find((one) => one.id === file.id)!
      assert.ok((told.content as string).includes(`${name} (${file.id})`))
    }
  })
})

test('a file is directly above its turn, in history too', () => {
  forAll(soundInputs(), (input) => {
    const { assembly } = outcomeOf(input)
    if (!assembly) return
    const entries = assembly.pieces.map((piece) => assembly.manifest.entries[piece.entry]!)
    for (const [index, entry] of entries.entries()) {
      if (entry.layer !== 'attachment') continue
      const { turn } = input.attachments!.find((one) => one.id === entry.id)!
      const below = entries.slice(index).find((one) => one.layer !== 'attachment')!
      assert.ok(below.id === turn || below.id.startsWith(`${turn}/`), `${below.id} stands below a file of ${turn}`)
    }
  })
})

/** Candidates of the history that are its turns or messages, oldest first. */
function historyOf({ entries }: Manifest): readonly ManifestEntry[] {
  const layers = ['turn', 'user', 'assistant', 'tool']
  return entries.filter((entry) => entry.slot === 'history' && layers.includes(entry.layer) && entry.id !== 'earlier')
}

/** Half of what is available at 0.5, or half of that share of what layers, or what must stand, leave of it. */
function lowWaterMark({ budget, used, slots }: Manifest, share: number): number {
  const room = budget.available
  const layers = used - slots.history - slots.input
  const least = share < 1 ? share / 2 : 1
  const beside = (standing: number) => standing + Math.max(0, room - standing) * least
  return Math.max(Math.floor(room * share), beside(layers), beside(layers + slots.input))
}

/** What the current turn costs with the results cleared that the model has answered. */
function clearedCurrent(input: AssemblyInput): number {
  const cut = { clearBefore: `${input.current.id}/1000` }
  const alone = { ...without(input, 'earlier'), cut, history: [], attachments: [], layers: [] }
  return outcomeOf(withRoom(alone, 10_000_000)).manifest.slots.input
}

function isShort({ entries }: Manifest): boolean {
  return entries.some(({ reason }) => reason?.code === 'shortage')
}

function isCut({ reason }: ManifestEntry): boolean {
  return reason?.code === 'low-water' || reason?.code === 'budget'
}

function keptMessages({ pieces, manifest }: Assembly, layers: readonly string[]): readonly Message[] {
  return pieces
    .filter(({ entry: index }) => {
      const entry = manifest.entries[index]!
      return entry.slot === 'history' && layers.includes(entry.layer)
    })
    .map((piece) => piece.content as Message)
}

/** Everything that was said, in history and current turn, and the note on what is missing. */
function talkOf({ pieces, manifest }: Assembly): readonly string[] {
  return pieces
    .filter(({ entry }) => ['history', 'input'].includes(manifest.entries[entry]!.slot))
    .map(({ content }) => JSON.stringify(content))
}

function hasHiddenNote({ entries }: Manifest): boolean {
  return entries.some(({ id, outcome }) => id === 'announcement' && outcome === 'omitted')
}

/** After how many messages each of its steps has its results. */
function stepEnds({ messages }: Turn): readonly number[] {
  return messages.flatMap((_, index) => {
    const next = messages[index + 1]
    return next === undefined || next.message.role === 'assistant' ? [index + 1] : []
  })
}

/** What a turn costs with its outputs no fuller than a form. */
function formsOf(input: AssemblyInput, id: string): { readonly excerpt: number; readonly cleared: number } {
  const history = input.history.filter((turn) => turn.id === id)
  const alone = { ...without(input, 'earlier'), history, attachments: [], layers: [] }
  const at = (cut: Cut) =>
    outcomeOf(withRoom({ ...alone, cut }, 10_000_000)).manifest.entries.find((entry) => entry.id === id)!.tokens
  return { excerpt: at({ excerptBefore: input.current.id }), cleared: at({ clearBefore: input.current.id }) }
}

function withCut(input: AssemblyInput, cut: Cut | undefined): AssemblyInput {
  return cut ? { ...input, cut } : without(input, 'cut')
}

function without(input: AssemblyInput, ...keys: readonly (keyof AssemblyInput)[]): AssemblyInput {
  return Object.fromEntries(
    Object.entries(input).filter(([key]) => !keys.includes(key as keyof AssemblyInput)),
  ) as never
}

/** The input as a loader gives it that read no turn before `from`. Only files of turns there are belong to them. */
function loadedFrom(input: AssemblyInput, from: number): AssemblyInput {
  return { ...input, history: input.history.slice(from), earlier: { turns: from, tokens: 1000 } }
}

function withoutStrays(input: AssemblyInput): AssemblyInput {
  const known = new Set([...input.history, input.current].map((turn) => turn.id))
  return { ...input, attachments: (input.attachments ?? []).filter((one) => known.has(one.turn)) }
}

/** Where the least cost of the newest turns passes a limit; that turn is still given. */
function loaderStop({ history, counter, tools = [] }: AssemblyInput, limit: number): number {
  const reader = tools.find(({ reads }) => reads === 'history')?.name
  let least = 0
  return history.findLastIndex(({ messages }) => {
    for (const { message, tokens } of messages) {
      least += leastTokens(message, tokens ?? messageTokens(counter, message), counter, reader)
    }
    return least > limit
  })
}

/** Where the turns stand that marks name; -1 for marks of turns there are not. */
function markedTurn({ history, current }: AssemblyInput, mark: string | undefined): number {
  return [...history, current].findIndex(({ id }) => id === mark || mark?.startsWith(`${id}/`))
}

/**
 * Which marks moved from one cut to the next, and which way. What is dropped is behind every other mark; where nothing
 * shrinks it is the only one.
 */
function movedMarks(input: AssemblyInput, before: Cut | undefined, after: Cut | undefined): readonly string[] {
  const positions = (cut: Cut | undefined) => {
    const drop = Math.max(0, positionOf(input, cut?.dropBefore))
    const clear = Math.max(drop, positionOf(input, cut?.clearBefore))
    const { shrinks } = input.layout
    if (!shrinks) return [drop]
    return [drop, clear, Math.max(clear, positionOf(input, cut?.excerptBefore))]
  }
  const was = positions(before)
  return positions(after).flatMap((position, index) => {
    if (position === was[index]) return []
    return [position < was[index]! ? 'back' : 'forward']
  })
}

/** How many tool results stand before a mark. */
function positionOf({ history, current }: AssemblyInput, mark: string | undefined): number {
  const turns = [...history, current]
  const at = turns.findIndex(({ id }) => id === mark || mark?.startsWith(`${id}/`))
  if (at < 0) return -1
  const number = Number(mark!.slice(turns[at]!.id.length + 1) || 1)
  const said = [...turns.slice(0, at).flatMap(({ messages }) => messages), ...turns[at]!.messages.slice(0, number - 1)]
  return said.filter(({ message }) => message.role === 'tool').length
}
