import { fittingPage } from '../capability/toolkit.ts'
import { type Message, outputText, wholeCharacter } from '../context.ts'
import type { PassageNeighbour, RankedPassage, Recall, RecallAnswer } from '../search.ts'
import {
  type Entry,
  type LogStore,
  readReferredContent,
  type SessionStore,
  createLeftTurnReader,
  withEdits,
} from '../session.ts'
import type { Tool } from '../tool.ts'

/** The most passages of one answer: each has some 200 tokens with its neighbours. */
const MOST_PASSAGES = 8
/** Entries of one page of a log. */
const PAGE = 500

/**
 * The tool `read_history`: searches and reads earlier turns of this session and of the earlier sessions of its
 * conversation, and of no other. It is offered in every call of a session, so that a cut does not change the head; its
 * description is brief, since every call pays for it.
 */
export function readHistoryTool(store: HistoryStore, recall: Recall): Tool {
  return {
    name: 'read_history',
    description: 'Earlier parts of this conversation: search with "query", read a "turn" (from 1) or "call".',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        turn: { type: 'integer' },
        call: { type: 'string' },
        session: { type: 'string' },
        offset: { type: 'integer' },
      },
      additionalProperties: false,
    },
    idempotent: true,
    readsContext: true,
    reads: 'history',
    async execute(input, { session: own, turn: current, room }) {
      // The toolbox has checked it against the schema above.
      const question = input as Question
      const { query, turn, call, session = own, offset = 0 } = question
      const asked = [query, turn, call].filter((value) => value !== undefined)
      if (asked.length !== 1 || query?.trim() === '')
        return { ok: false, error: 'give exactly one of query, turn or call' }
      if (offset < 0) return { ok: false, error: 'invalid input: offset must be at least 0' }
      const sessions =
        question.session === undefined && query === undefined ? [own] : await recall.conversationSessions(own)
      if (!sessions.includes(session))
        return { ok: false, error: `there is no session ${session} in this conversation` }
      if (query !== undefined) {
        const within = question.session === undefined ? sessions : [session]
        const answer = await recall.find({
          text: query,
          sessions: within,
          exceptTurns: [current],
          limit: MOST_PASSAGES,
        })
        return { ok: true, output: renderRecall(answer, { session: own, query }) }
      }
      const text =
        call === undefined
          ? await turnText(store, session, turn!, current)
          : await callText(store, session, call, current)
      if (text === undefined) return { ok: false, error: 'there is no such turn or call in this conversation' }
      return { ok: true, output: fittingPage(text, offset, room) }
    },
  }
}

type HistoryStore = Pick<SessionStore, 'entries' | 'turns' | 'content' | 'session'>

interface Question {
  readonly query?: string
  readonly turn?: number
  readonly call?: string
  readonly session?: string
  readonly offset?: number
}

type MessageEntry = Extract<Entry, { type: 'input' | 'message' }>

async function* readMessages(store: Pick<LogStore, 'entries'>, session: string): AsyncGenerator<MessageEntry> {
  let after = 0
  for (;;) {
    const entries = await store.entries(session, { types: ['input', 'message'], after, limit: PAGE })
    for (const entry of entries) if (entry.type === 'input' || entry.type === 'message') yield entry
    if (entries.length < PAGE) return
    after = entries.at(-1)!.seq
  }
}

async function turnText(
  store: HistoryStore,
  session: string,
  ordinal: number,
  answering: string,
): Promise<string | undefined> {
  const [row] = await store.turns(session, { before: ordinal + 1, limit: 1 })
  if (row?.ordinal !== ordinal || (await createLeftTurnReader(store)(session, [answering])).includes(row.turn))
    return undefined
  const entries = await store.entries(session, { turn: row.turn, types: ['input', 'edit', 'message'] })
  return withEdits(entries)
    .flatMap((entry) =>
      entry.type === 'input' || entry.type === 'message'
        ? [`${entry.message.role}: ${renderMessage(entry.message)}`]
        : [],
    )
    .join('\n\n')
}

async function callText(
  store: HistoryStore,
  session: string,
  toolCallId: string,
  answering: string,
): Promise<string | undefined> {
  const left = await createLeftTurnReader(store)(session, [answering])
  for await (const entry of readMessages(store, session)) {
    if (entry.message.role !== 'tool' || left.includes(entry.turn)) continue
    for (const part of entry.message.content) {
      if (part.type !== 'tool-result' || part.toolCallId !== toolCallId) continue
      return (await wholeText(store, entry, toolCallId)) ?? outputText(part.output)
    }
  }
  return undefined
}

/** The whole text of a result that was too long to be shown. */
async function wholeText(
  store: HistoryStore,
  { session, turn }: MessageEntry,
  toolCallId: string,
): Promise<string | undefined> {
  const ends = await store.entries(session, { turn, types: ['tool-end'] })
  const end = ends.findLast((entry) => entry.type === 'tool-end' && entry.toolCallId === toolCallId)
  const stored = end?.type === 'tool-end' ? end.stored : undefined
  return stored && readReferredContent(store, stored.content)
}

function renderMessage({ content }: Message): string {
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

/** How much of a passage is shown, characters. The rest is read with its turn or call. */
const SHOWN = 400
/** How many of the best passages are shown with their neighbours. */
const WITH_NEIGHBOURS = 3

/**
 * The answer of a search as a model reads it: first what was not found, then each passage with its place and time, its
 * neighbours, and the input that reads more.
 */
function renderRecall(
  { passages, found, missing, nearest, complete }: RecallAnswer,
  { session, query }: { readonly session: string; readonly query: string },
): string {
  const later = complete ? [] : ['Older parts of this conversation are still being indexed: ask again in a while.']
  if (found === 'nothing') {
    const nothing = `Nothing in this conversation has: ${missing.join(', ') || query}.`
    return [nothing, 'Try other words for the same thing, or read turns one by one with "turn".', ...later].join(' ')
  }
  const head = [
    ...(missing.length === 0 ? [] : [`Nothing in this conversation has: ${missing.join(', ')}.`]),
    ...(nearest.length === 0 ? [] : [`Nearest: ${nearest.join(', ')}.`]),
    'Best passages first. Read on with the input behind each.',
    ...later,
  ].join(' ')
  return [head, ...passages.map((passage, index) => renderPassage(passage, session, index < WITH_NEIGHBOURS))].join(
    '\n\n',
  )
}

function renderPassage(passage: RankedPassage, session: string, withNeighbours: boolean): string {
  const { ordinal, role, time, call, before, after } = passage
  const said = call ? `tool ${call.name}${call.ok === false ? ', failed' : ''}` : role
  const elsewhere = passage.session === session ? {} : { session: passage.session }
  const reads = call ? { call: call.id, ...elsewhere } : { turn: ordinal, ...elsewhere }
  const lines = [`turn ${ordinal} (${said}, ${time}) ${JSON.stringify(reads)}`, excerpt(passage)]
  if (withNeighbours && before) lines.splice(1, 0, renderNeighbour('before', before))
  if (withNeighbours && after) lines.push(renderNeighbour('after', after))
  return lines.join('\n')
}

function renderNeighbour(side: string, { ordinal, role, text }: PassageNeighbour): string {
  return `  (${side}, turn ${ordinal}, ${role}: ${text})`
}

/** The part of a passage around its first match, in one line. */
function excerpt({ text, hits, start, end, length }: RankedPassage): string {
  const line = text.replaceAll(/\s+/g, ' ')
  const lower = line.toLowerCase()
  const places = hits.map((word) => lower.indexOf(word)).filter((place) => place !== -1)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const from =
    line.length <= SHOWN ? 0 : wholeCharacter(line, Math.max(0, Math.min(first - SHOWN / 4, line.length - SHOWN)))
  const to = wholeCharacter(line, Math.min(line.length, from + SHOWN))
  return `${from > 0 || start > 0 ? '…' : ''}${line.slice(from, to)}${to < line.length || end < length ? '…' : ''}`
}
