import {
  assemble,
  type AssemblyInput,
  type ConversationNote,
  type Cut,
  layoutOf,
  type Message,
  expectedCalls,
  messageTokens,
  noteInstruction,
  type NotesInput,
  planNote,
  type PlacedCall,
  tokenx,
  type Turn,
} from '../../src/context.ts'
import { textOf, type Trace } from './traces.ts'

/** A part of a request that is the same in two requests if its key is. */
interface SentPart {
  readonly key: string
  readonly tokens: number
}

/** One call of a trace under a policy. */
export interface SentCall {
  readonly parts: readonly SentPart[]
  /** Since the call before, s. */
  readonly pause: number
  /** It was made for the policy, and not for an answer. `apart`: with a prompt of its own. */
  readonly side?: 'on the prefix' | 'apart'
  /** Of the answer, tokens; only of side calls. */
  readonly output: number
}

/** How a conversation is kept in its window. */
export interface Policy {
  readonly name: string
  calls(trace: Trace): readonly SentCall[]
}

const RESERVE = 4_000
/** So many of the last calls are remembered. */
const PLACED_CALLS = 20
/** Between two steps of a turn, s. */
const STEP_PAUSE = 4

const keys = new WeakMap<object, string>()

function part(message: Message): SentPart {
  const key = keys.get(message) ?? JSON.stringify(message)
  keys.set(message, key)
  return { key, tokens: costs.get(key) ?? costOf(key, message) }
}

const costs = new Map<string, number>()

function costOf(key: string, message: Message): number {
  const tokens = messageTokens(tokenx, message)
  costs.set(key, tokens)
  return tokens
}

function size(parts: readonly SentPart[]): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0)
}

/** Every prefix of a turn that ends before an answer: what a loop sends, step by step. */
function* stepsOf(messages: readonly Message[]): Generator<readonly Message[]> {
  for (const [at, { role }] of messages.entries()) if (role === 'assistant') yield messages.slice(0, at)
}

/** The longest that a cache lives, s: nothing of a prompt is left in one after a longer pause. */
const LIFE = 3_600

/** The last call of a turn. */
interface Answered {
  readonly input: AssemblyInput
  readonly made: ReturnType<typeof assemble>
}

/** Prices that a cut is weighed by: shares of a fresh token. */
const PRICES = { read: 0.1, write: 1.25, output: 5 }

/** Foreword's own assembly. `weighs`: whether it also cuts where later calls win by it. */
function foreword(name: string, notes: 'model' | 'index' | 'off', weighs = false): Policy {
  return {
    name,
    calls({ window, head, turns }) {
      const calls: SentCall[] = []
      const settled: Turn[] = []
      const text = 'h '.repeat(head - tokenx.perMessage)
      const layers = [{ id: 'head', layer: 'system-prompt', renditions: [{ form: 'full', text, tokens: head }] }]
      let cut: Cut | undefined
      let written: readonly ConversationNote[] = []
      let words: NotesInput['words']
      let last: Answered | undefined
      let clock = 0
      const recent: Pick<PlacedCall, 'at' | 'used'>[] = []
      const worthNow = () => {
        const many = { available: window - RESERVE, lifeSeconds: LIFE }
        return weighs ? { ...PRICES, calls: expectedCalls(recent.slice(-PLACED_CALLS), many).calls } : undefined
      }
      const writeNote = ({ input, made }: Answered, ending: boolean) => {
        const plan = planNote(input, made.manifest, { ending, words, worth: worthNow() })
        if (notes !== 'model' || !plan) return
        const instruction: Message = { role: 'user', content: noteInstruction(plan.most, plan.folds) }
        const said = textOf(() => 0.37, Math.round(plan.most * 0.7))
        words = { through: plan.through, text: said, call: `note-${calls.length}`, folds: plan.folds }
        const parts = [...partsOf(made), part(instruction)]
        calls.push({ parts, pause: STEP_PAUSE, side: 'on the prefix', output: tokenx.text(said) })
      }
      for (const { id, messages, pause } of turns) {
        let first = true
        if (last && pause > LIFE) writeNote(last, true)
        const cacheOver = pause > LIFE && (notes === 'index' || words !== undefined)
        for (const sent of stepsOf(messages)) {
          clock += first ? pause : STEP_PAUSE
          const weighed = notes === 'index' || words ? worthNow() : undefined
          const worth = weighed && { calls: weighed.calls, read: weighed.read, write: weighed.write }
          const input: AssemblyInput = {
            layout: layoutOf('auto'),
            layers,
            ...loaded(settled, cut),
            current: { id, messages: sent.map((message) => ({ message, tokens: part(message).tokens })) },
            tools: [{ name: 'read_history', inputSchema: {}, reads: 'history', tokens: 0 }],
            budget: { window, reserve: RESERVE },
            counter: tokenx,
            ...(notes === 'off'
              ? {}
              : {
                  notes: {
                    written,
                    ...(words ? { words } : {}),
                    ...(cacheOver && first ? { cacheOver } : {}),
                    ...(worth ? { worth } : {}),
                  },
                }),
            ...(cut ? { cut } : {}),
          }
          const made = assemble(input)
          const { manifest, note } = made
          if (note) {
            const kept = new Set(manifest.cut?.notes?.map(({ content }) => content))
            written = [...written, note].filter(({ content }) => kept.has(content))
            words = undefined
          }
          cut = manifest.cut
          last = { input, made }
          recent.push({ at: clock * 1000, used: manifest.used })
          calls.push({ parts: partsOf(made), pause: first ? pause : STEP_PAUSE, output: 0 })
          first = false
        }
        settled.push({ id, messages: messages.map((message) => ({ message, tokens: part(message).tokens })) })
        if (last) writeNote(last, false)
      }
      return calls
    },
  }
}

function partsOf({ pieces }: ReturnType<typeof assemble>): readonly SentPart[] {
  return pieces.map(({ content, tokens }) => {
    if (typeof content !== 'string' && 'role' in content && content.role !== 'system')
      return { ...part(content), tokens }
    return { key: JSON.stringify(content), tokens }
  })
}

function loaded(settled: readonly Turn[], cut: Cut | undefined): Pick<AssemblyInput, 'history' | 'earlier'> {
  const mark = cut?.dropBefore === undefined ? 0 : settled.findIndex(({ id }) => id === cut.dropBefore)
  const from = mark < 0 ? settled.length : mark
  const first = settled.filter(({ id }, index) => index < from && cut?.first?.includes(id))
  const turns = from - first.length
  return { history: [...first, ...settled.slice(from)], ...(turns > 0 ? { earlier: { turns, tokens: turns } } : {}) }
}

/** Ten lines of code: when it does not fit, the oldest turns go until so much of the room is left. */
function dropTo(name: string, share: number, summarises = false): Policy {
  return {
    name,
    calls({ window, head, turns }) {
      const calls: SentCall[] = []
      const room = window - RESERVE
      const lead: SentPart = { key: 'head', tokens: head }
      let kept: (readonly SentPart[])[] = []
      let summary: SentPart | undefined
      for (const { messages, pause } of turns) {
        let first = true
        for (const sent of stepsOf(messages)) {
          const now = sent.map(part)
          const whole = () => [lead, ...(summary ? [summary] : []), ...kept.flat(), ...now]
          if (size(whole()) > room) {
            const gone: SentPart[] = []
            while (kept.length > 0 && size(whole()) > room * share) gone.push(...kept.shift()!)
            if (summarises) {
              const prompt = [{ key: `summarise ${calls.length}`, tokens: 200 }, ...(summary ? [summary] : []), ...gone]
              calls.push({
                parts: prompt.map((each) => ({ ...each, key: `s ${each.key}` })),
                pause: 2,
                side: 'apart',
                output: 700,
              })
              summary = { key: `summary ${calls.length}`, tokens: 700 }
            }
            // What alone is too long loses its oldest results.
            while (size(whole()) > room && now.length > 1) now.splice(1, 1)
          }
          calls.push({ parts: whole(), pause: first ? pause : STEP_PAUSE, output: 0 })
          first = false
        }
        kept = [...kept, messages.map(part)]
      }
      return calls
    },
  }
}

export const policies: readonly Policy[] = [
  foreword('notes by a model', 'model'),
  foreword('notes as an index', 'index'),
  foreword('notes by a model, weighed', 'model', true),
  foreword('notes as an index, weighed', 'index', true),
  foreword('auto without notes', 'off'),
  dropTo('drop the oldest', 1),
  dropTo('cut to 50 %', 0.5),
  dropTo('cut to 25 %', 0.25),
  dropTo('summary of its own', 0.4, true),
]
