import type { CommandCall, Io } from '../../capability.ts'
import { exactLine } from '../exact-text.ts'
import { storedSession } from '../find-session.ts'
import { print, printJson } from '../io.ts'
import { homeStore, noSuchSession, withStore } from '../open-store.ts'
import { type Entry, type LogStore, type PartialReason, shownSession } from '../../session.ts'
import { harmless, styled } from '../style.ts'
import { sourceLine } from '../source-list.ts'
import { fullTimeText } from '../time-text.ts'
import { endText } from '../turn-end.ts'
import { pastCalls } from './past-calls.ts'

export async function showSession(call: CommandCall, io: Io): Promise<number> {
  const word = call.words[1]!
  return await withStore(
    await homeStore(call.home, io),
    (store) => show(store, word, call, io),
    () => {
      throw noSuchSession(word)
    },
  )
}

async function show(store: LogStore, word: string, call: CommandCall, io: Io): Promise<number> {
  const row = await storedSession(store, word)
  const entries = await store.entries(row.id)
  if (call.json) printJson(io, { session: shownSession(row), entries })
  else {
    const { subject } = row.choices
    if (subject !== undefined) print(io, styled(io, 'dim', `about the subject ${exactLine(subject)}`))
    showEntries(byTurn(entries), io)
  }
  return 0
}

/** Each turn in one piece: what was said while another was answered stands in the log before that answer. */
function byTurn(entries: readonly Entry[]): readonly Entry[] {
  const begins = new Map<string, number>()
  for (const entry of entries) if (entry.type === 'input') begins.set(entry.turn, entry.seq)
  const place = (entry: Entry) => ('turn' in entry && entry.turn ? (begins.get(entry.turn) ?? entry.seq) : entry.seq)
  return entries.toSorted((one, other) => place(one) - place(other))
}

function showEntries(entries: readonly Entry[], io: Io): void {
  const dim = (text: string) => print(io, styled(io, 'dim', harmless(text, io.stdout)))
  const calls = pastCalls(dim)
  for (const entry of entries) {
    if (entry.type === 'input' || entry.type === 'turn-end') calls.over()
    showEntry(entry, io, dim)
    calls.take(entry)
  }
  calls.over()
}

function showEntry(entry: Entry, io: Io, dim: (text: string) => void): void {
  if (entry.type === 'input') {
    print(io, `\n${styled(io, 'bold', `${entry.turn}, ${fullTimeText(entry.time, new Date())}`)}`)
    print(io, harmless(`> ${textOf(entry.message)}`, io.stdout))
    for (const { name, kind } of entry.attachments ?? []) dim(`  with ${exactLine(name)} (${kind})`)
  } else if (entry.type === 'message' && entry.message.role === 'assistant') {
    const text = textOf(entry.message)
    if (text !== '') print(io, harmless(text, io.stdout))
    for (const source of entry.citations ?? []) dim(sourceLine(source))
    if (entry.partial !== undefined && text !== '') dim(`(${PARTIAL[entry.partial]})`)
  } else if (entry.type === 'head') {
    dim('(taken back: later calls do not read this turn)')
  } else if (entry.type === 'usage' && entry.warning) {
    dim(`(${entry.warning.message})`)
  } else if (entry.type === 'turn-end' && entry.outcome.type !== 'completed') {
    dim(entry.outcome.type === 'cancelled' ? '(cancelled)' : endText(entry.outcome))
  }
}

/** Behind words that are no whole answer; how the turn ended is told after them. */
const PARTIAL: Readonly<Record<PartialReason, string>> = {
  cancelled: 'cancelled here',
  failed: 'failed here',
  interrupted: 'interrupted here',
  length: 'cut here',
  empty: 'no words',
  'reasoning-only': 'no words',
  'content-filter': 'stopped here',
  other: 'ended here',
}

type SaidMessage = Extract<Entry, { type: 'message' | 'input' }>['message']

/** The words of a message; other parts are named in brackets. */
function textOf(message: SaidMessage): string {
  if (typeof message.content === 'string') return message.content
  return message.content
    .map((part) => {
      if (part.type === 'text') return part.text
      return message.role === 'user' ? `[${part.type}]` : ''
    })
    .join('')
}
