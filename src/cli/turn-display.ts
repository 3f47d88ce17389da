import type { SessionEvent } from '../runtime.ts'
import type { Entry } from '../session.ts'
import { note, width } from './io.ts'
import type { Io } from '../capability.ts'
import { shownCalls } from './shown-calls.ts'
import { sourceLine, sourceList } from './source-list.ts'
import { harmless, type Look, styled } from './style.ts'
import { oneLine } from './table.ts'

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
    const shown = harmless(text, io.stdout)
    io.stdout.write(wanted === undefined ? shown : styled(io, wanted, shown))
    atLineStart = text.endsWith('\n')
  }

  function line(): void {
    if (!atLineStart) io.stdout.write('\n')
    atLineStart = true
  }

  function detail(text: string): void {
    if (!options.details) return
    line()
    write(`${oneLine(text, width(io))}\n`, 'dim')
  }

  function warn(text: string): void {
    if (options.details) line()
    note(io, styled(io, 'yellow', text, io.stderr))
  }

  /** A pipe carries the answer alone. */
  function tellSource(text: string): void {
    if (options.details) return detail(text)
    note(io, styled(io, 'dim', text, io.stderr))
  }

  /** What is wrong is told once; then only that it still is. Never in a pipe's words: they are the answer's. */
  function tellRetry({ message, waitMs, attempt }: Extract<SessionEvent, { type: 'retry' }>): void {
    const when = `Trying again in ${Math.max(1, Math.round(waitMs / 1000))} s.`
    line()
    const wrong = harmless(oneLine(message, Infinity), io.stderr)
    const text = attempt === 2 ? `${/[.!?]$/.test(wrong) ? wrong : `${wrong}.`} ${when} Ctrl-C stops.` : when
    note(io, styled(io, 'yellow', text, io.stderr))
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
