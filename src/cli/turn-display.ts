import { argvText, exactLine } from '../context.ts'
import type { Io } from '../capability.ts'
import type { SessionEvent } from '../runtime.ts'
import type { Entry, CitationSource } from '../session.ts'
import type { CallDescription } from '../tool.ts'
import { safeForTerminal, type Look, note, applyStyle, width } from './io.ts'
import { singleLine } from './table.ts'

/** Shows a turn while it happens. */
export interface TurnDisplay {
  readonly show: (event: SessionEvent) => void
  /** Leaves the cursor at the beginning of a line, below the sources that the answer cites. */
  readonly finish: () => void
}

/**
 * Writes the text of an answer to the output as it comes. With `details` reasoning stands before it, dimmed, and each
 * tool call on a line of its own.
 */
export function turnDisplay(io: Io, options: { readonly details: boolean }): TurnDisplay {
  const said = new Map<string, string>()
  const calls = shownCalls(detail)
  const sources = sourceList()
  let atLineStart = true
  let look: Look | undefined

  function write(text: string, wanted?: Look): void {
    if (text === '') return
    if (wanted !== look) line()
    look = wanted
    const shown = safeForTerminal(text, io.stdout)
    io.stdout.write(wanted === undefined ? shown : applyStyle(io, wanted, shown))
    atLineStart = text.endsWith('\n')
  }

  function line(): void {
    if (!atLineStart) io.stdout.write('\n')
    atLineStart = true
  }

  function detail(text: string): void {
    if (!options.details) return
    line()
    write(`${singleLine(text, width(io))}\n`, 'dim')
  }

  function warn(text: string): void {
    if (options.details) line()
    note(io, applyStyle(io, 'yellow', text, io.stderr))
  }

  /** A pipe carries the answer alone. */
  function tellSource(text: string): void {
    if (options.details) return detail(text)
    note(io, applyStyle(io, 'dim', text, io.stderr))
  }

  /** What is wrong is told once; then only that it still is. Never in a pipe's words: they are the answer's. */
  function tellRetry({ message, waitMs, attempt }: Extract<SessionEvent, { type: 'retry' }>): void {
    const when = `Trying again in ${Math.max(1, Math.round(waitMs / 1000))} s.`
    line()
    const wrong = safeForTerminal(singleLine(message, Infinity), io.stderr)
    const text = attempt === 2 ? `${/[.!?]$/.test(wrong) ? wrong : `${wrong}.`} ${when} Ctrl-C stops.` : when
    note(io, applyStyle(io, 'yellow', text, io.stderr))
  }

  /** The log's own words win over the provisional ones: what is missing behind them is added. */
  function settle(call: string, text: string): void {
    const before = said.get(call) ?? ''
    said.set(call, text)
    if (text.startsWith(before)) return write(text.slice(before.length))
    line()
    write(text)
  }

  function entry(happened: Entry): void {
    sources.take(happened)
    if (happened.type === 'approval-request' && options.details) line()
    if (happened.type === 'message' && happened.message.role === 'assistant') {
      settle(happened.call ?? '', textOf(happened.message.content))
    }
    if (happened.type === 'usage' && happened.warning) warn(happened.warning.message)
    calls(happened)
  }

  return {
    show(event) {
      if (event.type === 'entry') entry(event.entry)
      if (event.type === 'reasoning-delta' && options.details) write(event.text, 'dim')
      if (event.type === 'retry') return tellRetry(event)
      if (event.type !== 'text-delta') return
      said.set(event.call, (said.get(event.call) ?? '') + event.text)
      write(event.text)
    },
    finish() {
      line()
      for (const source of sources.sources()) tellSource(sourceLine(source))
    },
  }
}

type AssistantContent = Extract<Extract<Entry, { type: 'message' }>['message'], { role: 'assistant' }>['content']

function textOf(content: AssistantContent): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/**
 * Tells the calls of a turn line by line: `→` runs, `✗` does not, with the words of the command where they are known; and of
 * a proposal how a person decides about it. Give it every entry in turn.
 */
function shownCalls(tell: (line: string) => void): (entry: Entry) => void {
  const words = new Map<string, string>()
  /** Calls of which it stands there already what became of them. */
  const told = new Set<string>()
  const denied = new Set<string>()
  const proposing = new Set<string>()

  function stopped(toolCallId: string, why: string): void {
    told.add(toolCallId)
    tell(`✗ ${words.get(toolCallId) ?? ''}`)
    tell(`  ${why}`)
  }

  function ended({ toolCallId, ok, output, durationMs }: Extract<Entry, { type: 'tool-end' }>): void {
    if (ok && proposing.has(toolCallId)) tellProposal(output)
    if (ok || denied.has(toolCallId)) return
    if (told.has(toolCallId)) tell(`  failed: ${output}`)
    else stopped(toolCallId, `${durationMs === 0 ? 'refused' : 'failed'}: ${output}`)
  }

  /** The model may not mention it. */
  function tellProposal(output: string): void {
    const [, id] = /"proposal_id":\s*"(\w+)"/.exec(output) ?? []
    if (id === undefined) return
    tell(`  ${id} waits for you:`)
    tell('  `foreword subjects confirm ID` writes it')
  }

  return (entry) => {
    if (entry.type === 'message') {
      for (const call of callsIn(entry)) words.set(call.toolCallId, callLine(call))
    } else if (entry.type === 'approval-request') {
      words.set(entry.toolCallId, callLine(entry.request))
    } else if (entry.type === 'approval' && entry.decision.type === 'deny') {
      denied.add(entry.toolCallId)
      stopped(entry.toolCallId, ['denied', entry.decision.reason].filter(Boolean).join(': '))
    } else if (entry.type === 'tool-start') {
      told.add(entry.toolCallId)
      if (PROPOSES.has(entry.toolName)) proposing.add(entry.toolCallId)
      tell(`→ ${words.get(entry.toolCallId) ?? callLine({ tool: entry.toolName, input: entry.input })}`)
    } else if (entry.type === 'tool-end') {
      ended(entry)
    }
  }
}

const PROPOSES: ReadonlySet<string> = new Set(['propose_notes_update', 'propose_taste_update'])

/** What a message of the model asks for. */
function callsIn({
  message,
}: Extract<Entry, { type: 'message' }>): readonly (CallDescription & { toolCallId: string })[] {
  if (message.role !== 'assistant' || typeof message.content === 'string') return []
  return message.content.flatMap((part) =>
    part.type === 'tool-call' ? [{ toolCallId: part.toolCallId, tool: part.toolName, input: part.input }] : [],
  )
}

/** A call in one line. */
function callLine({ tool, argv, command, input }: CallDescription): string {
  const words = argv === undefined ? exactLine(command ?? JSON.stringify(input) ?? '') : argvText(argv)
  return `${tool} ${words}`
}

/** What the answers of one turn cite, each number once. */
interface SourceList {
  readonly take: (entry: Entry) => void
  readonly sources: () => readonly CitationSource[]
}

function sourceList(): SourceList {
  const cited = new Map<number, CitationSource>()
  return {
    take(entry) {
      if (entry.type !== 'message') return
      for (const source of entry.citations ?? []) if (!cited.has(source.citation)) cited.set(source.citation, source)
    },
    sources: () => [...cited.values()].toSorted((one, other) => one.citation - other.citation),
  }
}

/** One source in a line, such as `[1] Tides.pdf, page 3`. */
export function sourceLine({ citation, title, url, page, headings = [] }: CitationSource): string {
  const place = page === undefined ? headings.at(-1) : `page ${page}`
  const parts = [title, ...(place === undefined ? [] : [place]), ...(url === undefined || url === title ? [] : [url])]
  return `[${citation}] ${parts.map(exactLine).join(', ')}`
}

/** Keeps what a turn cites and shows nothing. */
export function quietSources(): SourceList & { show: (event: SessionEvent) => void; finish: () => void } {
  const list = sourceList()
  return { ...list, show: (event) => event.type === 'entry' && list.take(event.entry), finish: () => {} }
}
