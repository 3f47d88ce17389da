import { defined, parseJson } from '../platform.ts'
import { textOf } from './part.ts'
import { type Usage, usageReader } from './usage.ts'

/** What an answer said, as far as it came. */
export interface WireAnswer {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
  readonly usage?: Usage
  /** As the provider says it, such as `end_turn`, `completed` or `stop`. Absent where the answer broke off. */
  readonly finish?: string
  /** The model that answered, where it is named. */
  readonly model?: string
  /** The provider's own id of the answer. */
  readonly id?: string
  readonly error?: { readonly code: string; readonly message: string }
  /** The answer was longer than what is kept of one: the end of its texts is missing. */
  readonly cut?: true
}

/** The most characters that are kept of one answer, all its texts and inputs together. */
const MOST_CHARACTERS = 8_000_000

const MOST_CALLS = 2_000

/** Of English prose and of code, about; of other scripts a token has about as many bytes. */
const BYTES_PER_TOKEN = 3.5

/** About how many tokens a text is whose words nobody counts. `bytes`: of its UTF-8. */
export function tokensWritten(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN)
}

/** An answer while it is read. What goes beyond its limits is left out, and the answer says so. */
export type AnswerDraft = ReturnType<typeof answerDraft>

export function answerDraft() {
  const [texts, reasonings]: [string[], string[]] = [[], []]
  const calls = new Map<string, CallDraft>()
  let left = MOST_CHARACTERS
  let isCut = false
  const tokens = usageReader()
  let written = 0
  let about: { finish?: string; model?: string; id?: string } = {}
  let error: WireAnswer['error']

  const room = (value: unknown): string => {
    const text = textOf(value) ?? ''
    written += Buffer.byteLength(text)
    if (text.length > left) isCut = true
    const kept = text.slice(0, left)
    left -= kept.length
    return kept
  }
  const find = (key: string): CallDraft | undefined => {
    const known = calls.get(key)
    if (known) return known
    if (calls.size >= MOST_CALLS) {
      isCut = true
      return undefined
    }
    const call: CallDraft = { id: '', name: '', json: [] }
    calls.set(key, call)
    return call
  }
  return {
    addText: (text: unknown) => addPart(texts, room(text)),
    addReasoning: (text: unknown) => addPart(reasonings, room(text)),
    /** The call under this key: begun where it is not known. Later facts complete it. */
    call(key: string, { id, name }: { readonly id?: unknown; readonly name?: unknown }) {
      const call = find(key)
      if (!call) return
      if (textOf(id)) call.id = room(id)
      if (textOf(name)) call.name = room(name)
    },
    callCount: () => calls.size,
    addInput(key: string, json: unknown) {
      const call = find(key)
      if (call) addPart(call.json, room(json))
    },
    /** Reads what an event or an answer says of its tokens. */
    report: tokens.add,
    set({ finish, model, id }: { readonly finish?: unknown; readonly model?: unknown; readonly id?: unknown }) {
      const next = { finish: line(finish), model: line(model), id: line(id) }
      about = { ...about, ...Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)) }
    },
    fail(code: unknown, message: unknown) {
      error ??= { code: line(code) ?? 'error', message: line(message) ?? '' }
    },
    /** Words beside the answer, such as another choice: they cost as much and are not kept. */
    beside: (text: unknown) => void (written += Buffer.byteLength(textOf(text) ?? '')),
    /** Tokens of the answer so far, about: those of its words, or those that were reported, whichever are more. */
    size: () => Math.max(tokensWritten(written), tokens.usage()?.outputTokens ?? 0),
    /** Something was too long to be read. */
    overflow: () => void (isCut = true),
    close: () => ({
      text: texts.join(''),
      reasoning: reasonings.join(''),
      calls: Array.from(calls.values(), ({ id, name, json }) => ({ id, name, input: inputOf(json.join('')) })),
      ...defined({ usage: tokens.usage() }),
      ...about,
      ...(error ? { error } : {}),
      ...(isCut ? { cut: true as const } : {}),
    }),
  }
}

/** Parts that are kept one by one: a stream has one for every few characters. */
const MOST_PARTS = 4_096

function addPart(parts: string[], text: string): void {
  if (text === '') return
  if (parts.length >= MOST_PARTS) parts.splice(0, parts.length, parts.join(''))
  parts.push(text)
}

interface CallDraft {
  id: string
  name: string
  readonly json: string[]
}

/** The most characters of an id, a name or a message. */
const LONGEST = 1_000

function line(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : textOf(value)
  return text === undefined || text === '' ? undefined : text.slice(0, LONGEST).toWellFormed()
}

/** JSON that broke off stays a text. */
function inputOf(json: string): unknown {
  return json.trim() === '' ? {} : parseJson(json, json)
}
