import type { CommandCall, Io } from '../../capability.ts'
import { outputText, type ToolCallPart, toolResults, exactLine } from '../../context.ts'
import { type Entry, type LogStore, type PartialReason, sessionView, withEdits } from '../../session.ts'
import { CommandFailure } from '../failure.ts'
import { findStoredSession } from '../find-session.ts'
import { endText } from '../follow-to-end.ts'
import { safeForTerminal, print, printJson, applyStyle } from '../io.ts'
import { findHomeStore, unknownSession, withStore } from '../open-store.ts'
import { singleLine } from '../table.ts'
import { fullTimeText } from '../time-text.ts'
import { sourceLine } from '../turn-display.ts'

/** `foreword sessions show`: prints the turns of a session, all or from one on, with their tool calls, or the entries as JSON. */
export async function showSession(call: CommandCall, io: Io): Promise<number> {
  const word = call.words[1]!
  return await withStore(
    await findHomeStore(call.home, io),
    (store) => show(store, word, call, io),
    () => {
      throw unknownSession(word)
    },
  )
}

async function show(store: LogStore, word: string, call: CommandCall, io: Io): Promise<number> {
  const row = await findStoredSession(store, word)
  const [, , turn] = call.words
  const all = await store.entries(row.id)
  const entries = turn === undefined ? all : fromTurn(byTurn(all), turn)
  if (call.json) printJson(io, { session: sessionView(row), entries })
  else {
    const chosen = Object.entries(row.choices).map(([choice, id]) => `${exactLine(choice)}: ${exactLine(id)}`)
    if (chosen.length > 0) print(io, chosen.join(', '), 'dim')
    const [start] = all
    if (start?.type === 'session-start' && start.foreign !== undefined) {
      print(io, `This session belongs to ${exactLine(start.foreign)}: \`foreword calls ${row.id}\` shows its calls.`)
    }
    showEntries(byTurn(withEdits(entries)), io)
  }
  return 0
}

/** The entries from a turn on: by its number, as searches print it, or by its id. Throws where there is none. */
function fromTurn(entries: readonly Entry[], word: string): readonly Entry[] {
  const inputs = entries.filter((entry) => entry.type === 'input')
  const first = inputs.find((entry, index) => entry.turn === word || String(index + 1) === word)
  if (first !== undefined) return entries.slice(entries.indexOf(first))
  const turns = inputs.length === 1 ? 'one turn' : `${inputs.length} turns`
  throw new CommandFailure('not-found', `The session has no turn ${word}.`, {
    hint: `It has ${turns}. Show all of it by leaving out the turn.`,
  })
}

/** The entries grouped by turn. The log has a message that arrived during another turn before the answer of that turn. */
function byTurn(entries: readonly Entry[]): readonly Entry[] {
  const begins = new Map<string, number>()
  for (const entry of entries) if (entry.type === 'input') begins.set(entry.turn, entry.seq)
  const place = (entry: Entry) => ('turn' in entry && entry.turn ? (begins.get(entry.turn) ?? entry.seq) : entry.seq)
  return entries.toSorted((one, other) => place(one) - place(other))
}

function showEntries(entries: readonly Entry[], io: Io): void {
  const dim = (text: string) => print(io, safeForTerminal(text, io.stdout), 'dim')
  const calls = pastCalls(dim)
  for (const entry of entries) {
    if (entry.type === 'input' || entry.type === 'turn-end') calls.finish()
    printEntry(entry, io, dim)
    calls.add(entry)
  }
  calls.finish()
}

function printEntry(entry: Entry, io: Io, dim: (text: string) => void): void {
  if (entry.type === 'input') {
    print(io, `\n${applyStyle(io, 'bold', `${entry.turn}, ${fullTimeText(entry.time, new Date())}`)}`)
    print(io, safeForTerminal(`> ${messageText(entry.message)}`, io.stdout))
    for (const { name, kind } of entry.attachments ?? []) dim(`  with ${exactLine(name)} (${kind})`)
  } else if (entry.type === 'message' && entry.message.role === 'assistant') {
    const text = messageText(entry.message)
    if (text !== '') print(io, safeForTerminal(text, io.stdout))
    for (const source of entry.citations ?? []) dim(sourceLine(source))
    if (entry.partial !== undefined && entry.partial !== 'cancelled' && text !== '') dim(`(${PARTIAL[entry.partial]})`)
  } else if (entry.type === 'head') {
    dim('(undone: later calls do not read this turn)')
  } else if (entry.type === 'usage' && entry.warning) {
    dim(`(${entry.warning.message})`)
  } else if (entry.type === 'turn-end' && entry.outcome.type !== 'completed') {
    dim(entry.outcome.type === 'cancelled' ? '(cancelled)' : endText(entry.outcome))
  }
}

/** What follows an incomplete answer. The outcome of the turn is printed after it, and says all of a cancelled one. */
const PARTIAL: Readonly<Record<Exclude<PartialReason, 'cancelled'>, string>> = {
  interrupted: 'interrupted here',
  length: 'cut here',
  'cut-call': 'cut here',
  empty: 'no text',
  'reasoning-only': 'no text',
  'content-filter': 'stopped here',
  other: 'ended here',
}

type TextMessage = Extract<Entry, { type: 'message' | 'input' }>['message']

/** The text of a message; other parts are named in brackets. */
function messageText(message: TextMessage): string {
  if (typeof message.content === 'string') return message.content
  return message.content
    .map((part) => {
      if (part.type === 'text') return part.text
      return message.role === 'user' ? `[${part.type}]` : ''
    })
    .join('')
}

/** Prints the tool calls of a turn with their results, in the order of the model: `→` ran, `✗` did not, `?` is still open. */
function pastCalls(writeLine: (line: string) => void) {
  let calls: readonly ToolCallPart[] = []
  let started = new Set<string>()
  let waiting = new Set<string>()

  function line(mark: string, { toolName, input }: ToolCallPart, result: string): void {
    writeLine(`${mark} ${singleLine(`${toolName} ${JSON.stringify(input)}`, 100)}`)
    writeLine(`  ${singleLine(result, 100)}`)
  }

  function settle(message: Extract<Entry, { type: 'message' }>['message']): void {
    for (const { toolCallId, output } of toolResults(message)) {
      const call = calls.find((each) => each.toolCallId === toolCallId)
      const failed = output.type.startsWith('error')
      const result = `${failed ? 'failed' : 'ok'}: ${outputText(output)}`
      if (call) line(started.has(toolCallId) ? '→' : '✗', call, result)
      for (const part of output.type === 'content' ? output.value : []) {
        if (part.type === 'file') writeLine(`  with ${exactLine(part.filename ?? part.mediaType)} (image)`)
      }
    }
    calls = []
  }

  function begin(message: Extract<Entry, { type: 'message' }>['message']): void {
    const parts = typeof message.content === 'string' ? [] : message.content
    calls = parts.filter((part) => part.type === 'tool-call')
    started = new Set()
    waiting = new Set()
  }

  return {
    /** Expects every entry of a turn, in order. */
    add(entry: Entry) {
      if (entry.type === 'message' && entry.message.role === 'assistant') begin(entry.message)
      if (entry.type === 'message' && entry.message.role === 'tool') settle(entry.message)
      if (entry.type === 'tool-start') started.add(entry.toolCallId)
      if (entry.type === 'approval-request') waiting.add(entry.toolCallId)
      if (entry.type === 'approval' || entry.type === 'tool-end') waiting.delete(entry.toolCallId)
    },
    /** The turn has ended, or the log has no more of it. */
    finish() {
      for (const call of calls) {
        line('?', call, waiting.has(call.toolCallId) ? 'waits for your approval' : 'has not ended yet')
      }
      calls = []
    },
  }
}
