import type { ExchangesOptions, ForeignExchange } from '../../capability.ts'
import type { ForeignAssembly } from '../../foreign.ts'
import { defined } from '../../platform.ts'
import { type CallRecord, type SessionStore } from '../../session.ts'
import { newestWords } from './prompt-words.ts'
import { type WireAnswer } from '../../wire.ts'

export interface ExchangeSources {
  readonly store: SessionStore
  /** `undefined` where a call cannot be taken apart any more. */
  assembleAgain(call: CallRecord): Promise<ForeignAssembly | undefined>
}

/** Longer words of a person are cut here, characters: the inspector has them whole. */
const LONGEST_WORDS = 20_000
const MOST_REMEMBERED = 1_000

/** Reads what was said in the calls of a session. A turn is taken apart once, where it begins. */
export function exchangeReader({ store, assembleAgain }: ExchangeSources) {
  const remembered = new Map<string, string>()

  async function wordsOf(call: CallRecord): Promise<string | undefined> {
    const known = remembered.get(call.id)
    if (known !== undefined) return known || undefined
    const assembly = await assembleAgain(call)
    const words = (assembly && newestWords(assembly)?.slice(0, LONGEST_WORDS)) ?? ''
    remembered.set(call.id, words)
    for (const oldest of remembered.keys()) if (remembered.size > MOST_REMEMBERED) remembered.delete(oldest)
    return words || undefined
  }

  return async (session: string, { limit, before }: ExchangesOptions): Promise<readonly ForeignExchange[]> => {
    const all = await store.calls(session, { last: limit + 1, before })
    const from = Math.max(0, all.length - limit)
    const turns = new Map<string, string | undefined>()
    for (const call of all.slice(0, from)) turns.set(threadOf(call), call.turn)
    const exchanges: ForeignExchange[] = []
    for (const call of all.slice(from)) {
      if (!call.foreign) continue
      const begins = turns.get(threadOf(call)) !== call.turn && WITH_WORDS.has(call.foreign.kind)
      if (WITH_WORDS.has(call.foreign.kind)) turns.set(threadOf(call), call.turn)
      const words = begins ? await wordsOf(call) : undefined
      const { usage: _, ...answer } = (await readAnswerOf(store, call)) ?? {}
      const came = 'text' in answer ? (answer as ForeignExchange['answer']) : undefined
      exchanges.push({ call: call.id, turn: call.turn ?? call.id, ...defined({ words, answer: came }) })
    }
    return exchanges
  }
}

/** Kinds of calls that somebody's words began. */
const WITH_WORDS: ReadonlySet<string> = new Set(['turn', 'sub-agent'])

function threadOf({ foreign }: CallRecord): string {
  return foreign?.session ?? ''
}

/** What an answer said; `undefined` where nothing came, or where it is gone. */
export async function readAnswerOf(
  store: Pick<SessionStore, 'content'>,
  call: Pick<CallRecord, 'outcome'>,
): Promise<WireAnswer | undefined> {
  const reference = call.outcome?.foreign?.answer
  if (reference === undefined) return undefined
  const text = await store.content(reference.replace('sha256:', ''))
  return text === undefined ? undefined : (JSON.parse(text) as WireAnswer)
}
