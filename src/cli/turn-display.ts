import { argvText, exactLine } from '../context.ts'
import { asSentence } from '../platform.ts'
import type { Io } from '../capability.ts'
import type { SessionEvent } from '../runtime.ts'
import type { Entry, CitationSource } from '../session.ts'
import type { CallDescription } from '../tool.ts'
import { safeForTerminal, type Look, note, applyStyle, width, withCapabilities } from './io.ts'
import type { RenderedAnswer } from './rendered-answer.ts'
import { singleLine } from './table.ts'

export type TurnDisplay = ReturnType<typeof turnDisplay>

export interface TurnDisplayOptions {
  readonly details: boolean
  /** What renders the answer. Absent: its text is written as the model wrote it. */
  readonly rendered?: RenderedAnswer | undefined
}

/**
 * Writes the text of an answer to the output as it arrives. With `details`, reasoning appears before it, dimmed, and each
 * tool call on a line of its own. Sources and warnings go to the error output without `details`, so that a pipe contains
 * only the answer.
 */
export function turnDisplay(io: Io, options: TurnDisplayOptions) {
  const written = new Map<string, string>()
  const showCall = callLines(detail, io.capabilities)
  const sources = sourceList()
  const switches = new Set<string>()
  let atLineStart = true
  let look: Look | undefined
  let lastCall: string | undefined

  function write(text: string, wanted?: Look): void {
    if (text === '') return
    if (wanted !== look) line()
    look = wanted
    const shown = safeForTerminal(text, io.stdout)
    io.stdout.write(wanted === undefined ? shown : applyStyle(io, wanted, shown))
    atLineStart = text.endsWith('\n')
  }

  /** Without details nothing stands between the texts of two calls, so that a blank line does. */
  function writeAnswer(text: string, call: string): void {
    const { rendered } = options
    if (text === '') return
    if (!options.details && lastCall !== undefined && lastCall !== call) {
      line()
      write('\n')
    }
    lastCall = call
    if (rendered === undefined) return write(text)
    if (look !== undefined) line()
    look = undefined
    rendered.write(safeForTerminal(text, io.stdout))
  }

  function line(): void {
    options.rendered?.end()
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
    note(io, text, 'yellow')
  }

  function showSource(text: string): void {
    if (options.details) return detail(text)
    note(io, text, 'dim')
  }

  /** Shows the message at the first retry only, and where another model is asked. */
  function showRetry({ message, waitMs, attempt, model }: Extract<SessionEvent, { type: 'retry' }>): void {
    if (model !== undefined) {
      switches.add(message)
      return warn(safeForTerminal(singleLine(message, Infinity), io.stderr))
    }
    const when = `Trying again in ${Math.max(1, Math.round(waitMs / 1000))} s.`
    line()
    const wrong = safeForTerminal(singleLine(message, Infinity), io.stderr)
    const text = attempt === 2 ? `${asSentence(wrong)} ${when} Ctrl-C stops.` : when
    note(io, text, 'yellow')
  }

  /** Writes what the final text of the log has beyond the streamed text; the whole text where they differ. */
  function settle(call: string, text: string): void {
    const before = written.get(call) ?? ''
    written.set(call, text)
    if (text.startsWith(before)) return writeAnswer(text.slice(before.length), call)
    line()
    writeAnswer(text, call)
  }

  function entry(happened: Entry): void {
    sources.add(happened)
    if (happened.type === 'approval-request' && options.details) line()
    if (happened.type === 'message' && happened.message.role === 'assistant') {
      settle(happened.call ?? '', messageText(happened.message.content))
    }
    if (happened.type === 'usage' && happened.warning && !switches.has(happened.warning.message))
      warn(happened.warning.message)
    showCall(happened)
  }

  return {
    show(event: SessionEvent) {
      if (event.type === 'entry') entry(event.entry)
      if (event.type === 'reasoning-delta' && options.details) write(event.text, 'dim')
      if (event.type === 'retry') return showRetry(event)
      if (event.type !== 'text-delta') return
      written.set(event.call, (written.get(event.call) ?? '') + event.text)
      writeAnswer(event.text, event.call)
    },
    /** Leaves the cursor at the beginning of a line, below the sources that the answer cites. */
    finish() {
      line()
      for (const source of sources.sources()) showSource(sourceLine(source))
    },
  }
}

type AssistantContent = Extract<Extract<Entry, { type: 'message' }>['message'], { role: 'assistant' }>['content']

function messageText(content: AssistantContent): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Writes tool calls line by line (`→` runs, `✗` does not) and notices. The returned function expects every entry in order. */
function callLines(writeLine: (line: string) => void, capabilities: Io['capabilities'] = []): (entry: Entry) => void {
  const lines = new Map<string, string>()
  const started = new Map<string, string>()
  const denied = new Set<string>()

  function stopped(toolCallId: string, why: string): void {
    writeLine(`✗ ${lines.get(toolCallId) ?? ''}`)
    writeLine(`  ${why}`)
  }

  function ended({ toolCallId, ok, output, images = [], durationMs }: Extract<Entry, { type: 'tool-end' }>): void {
    const tool = started.get(toolCallId)
    if (ok && tool !== undefined) {
      for (const { notices } of capabilities)
        for (const line of notices?.tool?.(tool, output) ?? []) writeLine(`  ${line}`)
      for (const { name, kind } of images) writeLine(`  with ${exactLine(name)} (${kind})`)
    }
    if (ok || denied.has(toolCallId)) return
    if (tool !== undefined) writeLine(`  failed: ${output}`)
    else stopped(toolCallId, `${durationMs === 0 ? 'refused' : 'failed'}: ${output}`)
  }

  return (entry) => {
    if (entry.type === 'message') {
      for (const call of callsIn(entry)) lines.set(call.toolCallId, callLine(call))
    } else if (entry.type === 'approval-request') {
      lines.set(entry.toolCallId, entry.held ? 'call to a model' : callLine(entry.request))
    } else if (entry.type === 'approval' && entry.decision.type === 'deny') {
      denied.add(entry.toolCallId)
      stopped(entry.toolCallId, ['denied', entry.decision.reason].filter(Boolean).join(': '))
    } else if (entry.type === 'tool-start') {
      started.set(entry.toolCallId, entry.toolName)
      writeLine(`→ ${lines.get(entry.toolCallId) ?? callLine({ tool: entry.toolName, input: entry.input })}`)
    } else if (entry.type === 'tool-end') {
      ended(entry)
    }
  }
}

function callsIn({
  message,
}: Extract<Entry, { type: 'message' }>): readonly (CallDescription & { toolCallId: string })[] {
  if (message.role !== 'assistant' || typeof message.content === 'string') return []
  return message.content.flatMap((part) =>
    part.type === 'tool-call' ? [{ toolCallId: part.toolCallId, tool: part.toolName, input: part.input }] : [],
  )
}

function callLine({ tool, argv, command, input }: CallDescription): string {
  const words = argv === undefined ? exactLine(command ?? JSON.stringify(input) ?? '') : argvText(argv)
  return `${tool} ${words}`
}

type SourceList = ReturnType<typeof sourceList>

function sourceList() {
  const cited = new Map<number, CitationSource>()
  return {
    add(entry: Entry) {
      if (entry.type !== 'message') return
      for (const source of entry.citations ?? []) if (!cited.has(source.citation)) cited.set(source.citation, source)
    },
    sources: () => [...cited.values()].toSorted((one, other) => one.citation - other.citation),
  }
}

/** One source on a line, such as `[1] Tides.pdf, page 3`. */
export function sourceLine({ citation, title, url, page, headings = [] }: CitationSource): string {
  const place = page === undefined ? headings.at(-1) : `page ${page}`
  const parts = [title, ...(place === undefined ? [] : [place]), ...(url === undefined || url === title ? [] : [url])]
  return `[${citation}] ${parts.map(exactLine).join(', ')}`
}

/** A display that collects the sources of a turn and shows nothing. */
export function quietSources(): SourceList & { show: (event: SessionEvent) => void; finish: () => void } {
  const list = sourceList()
  return { ...list, show: (event) => event.type === 'entry' && list.add(event.entry), finish: () => {} }
}

/** Of a command that shows answers: without it they are rendered on a terminal. */
export const rawOption = { summary: 'show answers as the model writes them, as in a pipe' }

/** How a command shows a turn: with details on a terminal, where the answer is rendered, too. */
export async function terminalDisplay(io: Io, raw: boolean): Promise<TurnDisplay> {
  if (io.stdout.isTTY !== true) return turnDisplay(io, { details: false })
  return turnDisplay(await withCapabilities(io), { details: true, rendered: await loadRenderedAnswer(io, raw) })
}

/** Nothing for a pipe, for a terminal that cannot move its cursor, and with `raw`: only what renders needs its library. */
export async function loadRenderedAnswer(io: Io, raw: boolean): Promise<RenderedAnswer | undefined> {
  if (raw || io.stdout.isTTY !== true || io.environment.TERM === 'dumb') return undefined
  return (await import('./rendered-answer.ts')).renderedAnswer(io)
}
