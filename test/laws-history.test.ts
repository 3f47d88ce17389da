import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import test from 'node:test'
import {
  type Assembly,
  type AssemblyInput,
  type Cut,
  leastTokens,
  type Manifest,
  type ManifestEntry,
  type Message,
  messageTokens,
  outline,
} from '../src/context.ts'
import { forAll, outcomeOf } from './arbitrary/for-all.ts'
import { inputs, later, soundInputs, withRoom } from './arbitrary/inputs.ts'

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
  forAll(soundInputs(), (given) => {
    const input = { ...without(given, 'cut', 'earlier'), attachments: [] }
    const { manifest, assembly } = outcomeOf(input)
    if (!assembly) return
    const { history } = manifest.slots
    const room = roomForHistory(manifest)
    const wanted = historyOf(manifest).reduce((sum, entry) => sum + entry.fullTokens, 0)
    const cut = manifest.entries.some((entry) => entry.slot === 'history' && isCut(entry))
    assert.equal(cut, wanted > room)
    if (!cut) return
    const turns = historyOf(manifest).filter((entry) => entry.outcome !== 'omitted')
    const onlyNewest = input.layout.cut.unit === 'turn' && turns.length === 1
    if (turns.length > 0 && !onlyNewest)
      assert.ok(history <= Math.floor(room * input.layout.cut.lowWater), outline(manifest))
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

test('tool outputs step down before turns go, the oldest first, and the newest turn goes down last', () => {
  forAll(soundInputs(), (given) => {
    const input = without(given, 'cut')
    const { manifest } = outcomeOf(input)
    if (input.layout.cut.unit === 'message') return
    const turns = historyOf(manifest).map((entry) => ({ ...entry, ...formsOf(input, entry.id) }))
    if (!input.layout.shrinks) assert.ok(turns.every((turn) => turn.outcome !== 'reduced'))
    const kept = turns.filter((turn) => turn.outcome !== 'omitted')
    for (const [index, turn] of kept.entries()) {
      if (turn.form === 'full') continue
      for (const older of kept.slice(0, index)) {
        const could = turn.form === 'tool-output-excerpt' ? older.excerpt : older.cleared
        assert.ok(older.tokens <= could, `${older.id} is fuller than ${turn.id}, which is newer\n${outline(manifest)}`)
      }
    }
    const newest = kept.at(-1)
    if (newest && newest.form !== 'full') assert.equal(kept.length, 1, outline(manifest))
  })
})

test('results of a tool that keeps its output stand whole wherever their turn stands', () => {
  forAll(soundInputs(), (input) => {
    const { assembly } = outcomeOf(input)
    const kept = new Set(input.tools?.flatMap(({ name, keepsOutput }) => (keepsOutput ? [name] : [])))
    if (!assembly || kept.size === 0) return
    const given = new Set(input.history.flatMap(({ messages }) => messages.flatMap((each) => resultsOf(each.message))))
    const now = new Set(input.current.messages.flatMap((each) => resultsOf(each.message)))
    for (const message of assembly.request.messages) {
      for (const result of resultsOf(message)) {
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

test('the newest turns that fill no more than half of what a cut leaves keep their tool outputs', () => {
  forAll(soundInputs(), (given) => {
    const input = { ...without(given, 'cut', 'earlier'), attachments: [] }
    const { manifest, assembly } = outcomeOf(input)
    if (!assembly || input.layout.cut.unit === 'message') return
    const half = Math.floor(roomForHistory(manifest) * input.layout.cut.lowWater) / 2
    let tokens = 0
    for (const turn of historyOf(manifest).toReversed()) {
      tokens += turn.fullTokens
      if (tokens > half) return
      assert.notEqual(turn.outcome, 'reduced', outline(manifest))
    }
  })
})

test('between two cuts nothing moves: the next call starts with the same messages in the same forms', () => {
  let went = 0
  forAll(fc.tuple(inputs(), fc.string({ maxLength: 10 })), ([input, said]) => {
    const before = outcomeOf(input)
    if (!before.assembly) return
    const next = later(withCut(input, before.manifest.cut), said)
    const { manifest, assembly } = outcomeOf(withRoom(next, 10_000_000))
    const all = ['turn', 'user', 'assistant', 'tool', 'attachment', 'announcement']
    const was = keptMessages(before.assembly, all).map((message) => JSON.stringify(message))
    const now = keptMessages(assembly!, all).map((message) => JSON.stringify(message))
    if (was.length > 0) went += 1
    assert.deepEqual(now.slice(0, was.length), was, outline(manifest))
    assert.deepEqual(movedMarks(next, before.manifest.cut, manifest.cut), [])
  })
  assert.ok(went > 15, 'the law was hardly put to the test')
})

test('marks only move forward', () => {
  forAll(fc.tuple(soundInputs(), fc.array(fc.nat(300), { minLength: 2, maxLength: 5 })), ([start, more]) => {
    let input = start
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
  forAll(inputs(), (given) => {
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
  assert.ok(went > 10, 'the law was hardly put to the test')
})

test('a loader may stop where the least that the newest turns can cost no longer fits: the request is the same', () => {
  let went = 0
  forAll(soundInputs(), (given) => {
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
  assert.ok(went > 10, 'the law was hardly put to the test')
})

test('what was dropped is announced to the model if it can read it, and to nobody else', () => {
  forAll(inputs(), (input) => {
    const { manifest, assembly } = outcomeOf(input)
    if (!assembly) return
    const gone = manifest.entries.filter(
      (entry) => entry.slot === 'history' && entry.outcome === 'omitted' && isCut(entry),
    )
    const offered = (name: string) => (input.tools ?? []).some((tool) => tool.name === name)
    const files = gone.filter((entry) => entry.layer === 'attachment')
    const wanted =
      (gone.some((entry) => entry.layer !== 'attachment') && offered('read_history')) ||
      (files.length > 0 && offered('read_attachment'))
    const entry = manifest.entries.find((one) => one.id === 'announcement')
    assert.equal(entry !== undefined, wanted, outline(manifest))
    const [told] = keptMessages(assembly, ['announcement'])
    if (!told) return assert.ok(!entry || historyOf(manifest).every((one) => one.outcome === 'omitted'))
    if (!offered('read_attachment')) return
    for (const file of files) {
      const { name } = input.attachments!.find((one) => one.id === file.id)!
      assert.ok((told.content as string).includes(`${name} (${file.id})`))
    }
  })
})

test('a file stands right above its turn, in history too', () => {
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

function roomForHistory({ budget, used, slots }: Manifest): number {
  return budget.available - used + slots.history
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
  const reader = tools.find((tool) => tool.name === 'read_history')?.name
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
    const drop = Math.max(0, markedTurn(input, cut?.dropBefore))
    const clear = Math.max(drop, markedTurn(input, cut?.clearBefore))
    const { shrinks, cut: rule } = input.layout
    if (!shrinks || rule.unit === 'message') return [drop]
    return [drop, clear, Math.max(clear, markedTurn(input, cut?.excerptBefore))]
  }
  const was = positions(before)
  return positions(after).flatMap((position, index) => {
    if (position === was[index]) return []
    return [position < was[index]! ? 'back' : 'forward']
  })
}
