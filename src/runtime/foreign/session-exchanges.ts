import type { ExchangesOptions, ForeignExchange } from '../../capability.ts'
import type { ForeignAssembly } from '../../foreign.ts'
import { defined } from '../../platform.ts'
import { type CallRecord, type SessionStore } from '../../session.ts'
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

/** The first words of a person in a prompt; `undefined` where there are none. What a program puts around them is no part of them. */
export function firstWords({ manifest, pieces }: ForeignAssembly): string | undefined {
  for (const { entry, content, joined } of pieces) {
    if (typeof content === 'string' || !('role' in content) || content.role !== 'user') continue
    const sections = joined ?? [{ entry, text: textInMessage(content.content) }]
    const said = sections.find((each) => manifest.entries[each.entry]?.layer === 'turn' && each.text.trim() !== '')
    if (said) return said.text
  }
  return undefined
}

/** What a message says, without its images, calls and results. */
export function textInMessage(content: string | readonly object[]): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => ('text' in part && typeof part.text === 'string' ? [part.text] : [])).join('\n')
}

/** The turn of a prompt without words of a person. */
export const NO_TURN = 'turn'

/** Names the turn of a prompt whose program names none: the last one that a person began. */
export function turnIn({ manifest }: ForeignAssembly): string {
  return manifest.entries.findLast(({ layer, slot }) => layer === 'turn' && slot === 'input')?.id ?? NO_TURN
}

/** The newest words of a person in a prompt; `undefined` where there are none. */
export function newestWords({ manifest, pieces }: ForeignAssembly): string | undefined {
  const newest = manifest.entries.findLast(({ layer, slot }) => layer === 'turn' && slot === 'input')
  if (newest === undefined) return undefined
  const said = pieces.flatMap(({ entry, content, joined }) => {
    if (typeof content === 'string' || !('role' in content) || content.role !== 'user') return []
    const sections = joined ?? [{ entry, text: textInMessage(content.content) }]
    return sections.filter((each) => {
      const { layer, id } = manifest.entries[each.entry] ?? {}
      return layer === 'turn' && id === newest.id && each.text.trim() !== ''
    })
  })
  return said.map(({ text }) => text).join('\n\n') || undefined
}
