import { outputText, type Message, wholeCharacter } from '../context.ts'
import { textPage } from '../plugin.ts'
import { type Entry, referredContent, type SessionStore } from '../session.ts'
import type { Tool } from '../tool.ts'

const MOST_MATCHES = 20
const AROUND = 160
/** Entries that are looked at for one page of a search. */
const PAGE = 500

/**
 * `read_history`: searches and reads earlier turns of this session, and of no other. Offered in every call of a session, so
 * that a cut does not change the head; it is worded briefly, since every call pays for it.
 */
export function readHistoryTool(store: HistoryStore): Tool {
  return {
    name: 'read_history',
    description: 'Earlier parts of this conversation: search with "query", read a "turn" (from 1) or "call".',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        turn: { type: 'integer' },
        call: { type: 'string' },
        offset: { type: 'integer' },
      },
      additionalProperties: false,
    },
    idempotent: true,
    readsContext: true,
    async execute(input, { session, turn: current }) {
      // The toolbox has checked it against the schema above.
      const question = input as Question
      const asked = [question.query, question.turn, question.call].filter((value) => value !== undefined)
      if (asked.length !== 1 || question.query?.trim() === '')
        return { ok: false, error: 'give exactly one of query, turn or call' }
      if ((question.offset ?? 0) < 0) return { ok: false, error: 'invalid input: offset must be at least 0' }
      if (question.query !== undefined)
        return { ok: true, output: await search(store, session, current, question.query) }
      const text =
        question.call === undefined
          ? await turnText(store, session, question.turn!)
          : await callText(store, session, question.call)
      if (text === undefined) return { ok: false, error: 'there is no such turn or call in this conversation' }
      return { ok: true, output: textPage(text, question.offset ?? 0) }
    },
  }
}

type HistoryStore = Pick<SessionStore, 'entries' | 'turns' | 'content'>

interface Question {
  readonly query?: string
  readonly turn?: number
  readonly call?: string
  readonly offset?: number
}

/** Newest matches first. A match is every word of the query, in any order and case. */
async function search(
  store: Pick<SessionStore, 'entries' | 'turns'>,
  session: string,
  current: string,
  query: string,
): Promise<string> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const matches: string[] = []
  const ordinals = new Map<string, number>()
  for await (const entry of spoken(store, session)) {
    if (entry.type === 'input' && !ordinals.has(entry.turn)) ordinals.set(entry.turn, ordinals.size + 1)
    if (entry.turn === current) continue
    const text = textOf(entry.message)
    const lower = text.toLowerCase()
    if (!words.every((word) => lower.includes(word))) continue
    const at = lower.indexOf(words[0]!)
    const [from, to] = [Math.max(0, at - AROUND), at + AROUND].map((place) => wholeCharacter(text, place))
    const excerpt = text.slice(from, to).replaceAll('\n', ' ')
    matches.push(`turn ${ordinals.get(entry.turn)} (${entry.message.role}, ${entry.time}): …${excerpt}…`)
  }
  if (matches.length === 0) return `No earlier message holds all of: ${words.join(', ')}.`
  const shown = matches.slice(-MOST_MATCHES).toReversed()
  const more = matches.length > shown.length ? `\n(${matches.length - shown.length} older matches not shown)` : ''
  return shown.join('\n') + more
}

type Spoken = Extract<Entry, { type: 'input' | 'message' }>

async function* spoken(store: Pick<SessionStore, 'entries'>, session: string): AsyncGenerator<Spoken> {
  let after = 0
  for (;;) {
    const entries = await store.entries(session, { types: ['input', 'message'], after, limit: PAGE })
    for (const entry of entries) if (entry.type === 'input' || entry.type === 'message') yield entry
    if (entries.length < PAGE) return
    after = entries.at(-1)!.seq
  }
}

async function turnText(
  store: Pick<SessionStore, 'entries' | 'turns'>,
  session: string,
  ordinal: number,
): Promise<string | undefined> {
  const [row] = await store.turns(session, { before: ordinal + 1, limit: 1 })
  if (row?.ordinal !== ordinal) return undefined
  const entries = await store.entries(session, { turn: row.turn, types: ['input', 'message'] })
  return entries
    .flatMap((entry) =>
      entry.type === 'input' || entry.type === 'message' ? [`${entry.message.role}: ${textOf(entry.message)}`] : [],
    )
    .join('\n\n')
}

async function callText(store: HistoryStore, session: string, toolCallId: string): Promise<string | undefined> {
  for await (const entry of spoken(store, session)) {
    if (entry.message.role !== 'tool') continue
    for (const part of entry.message.content) {
      if (part.type !== 'tool-result' || part.toolCallId !== toolCallId) continue
      return (await wholeText(store, entry, toolCallId)) ?? outputText(part.output)
    }
  }
  return undefined
}

/** The whole of a result that was too long to be shown. */
async function wholeText(
  store: HistoryStore,
  { session, turn }: Spoken,
  toolCallId: string,
): Promise<string | undefined> {
  const ends = await store.entries(session, { turn, types: ['tool-end'] })
  const end = ends.findLast((entry) => entry.type === 'tool-end' && entry.toolCallId === toolCallId)
  const stored = end?.type === 'tool-end' ? end.stored : undefined
  return stored && referredContent(store, stored.content)
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return content
    .map((part) => {
      if (part.type === 'text') return part.text
      if (part.type === 'tool-call')
        return `[called ${part.toolName} ${JSON.stringify(part.input)}, call ${part.toolCallId}]`
      if (part.type === 'tool-result') return outputText(part.output)
      return ''
    })
    .filter((text) => text !== '')
    .join('\n')
}
