import type { SessionEvent } from '../runtime.ts'
import type { Entry } from '../session.ts'
import type { CallDescription } from '../tool.ts'
import { argvText, exactLine } from './exact-text.ts'
import { type Io, width } from './io.ts'
import { harmless, type Look, styled } from './style.ts'
import { oneLine } from './table.ts'

/** Shows a turn while it happens. */
export interface TurnDisplay {
  readonly show: (event: SessionEvent) => void
  /** Leaves the cursor at the beginning of a line. */
  readonly finish: () => void
}

/**
 * Writes the text of an answer to the output as it comes. With `details` reasoning stands before it, dimmed, and each
 * tool call on a line of its own.
 */
export function turnDisplay(io: Io, options: { readonly details: boolean }): TurnDisplay {
  const said = new Map<string, string>()
  /** Calls whose words are known, and those that somebody decided about or that ran. */
  const asked = new Map<string, string>()
  const started = new Set<string>()
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

  /** The log's own words win over the provisional ones: what is missing behind them is added. */
  function settle(call: string, text: string): void {
    const before = said.get(call) ?? ''
    said.set(call, text)
    if (text.startsWith(before)) return write(text.slice(before.length))
    line()
    write(text)
  }

  function entry(happened: Entry): void {
    if (happened.type === 'approval-request') {
      asked.set(happened.toolCallId, callLine(happened.request))
      if (options.details) line()
    } else if (happened.type === 'approval' && happened.decision.type === 'deny') {
      started.add(happened.toolCallId)
      detail(`✗ ${asked.get(happened.toolCallId) ?? ''}`)
      detail(`  denied${happened.decision.reason === undefined ? '' : `: ${happened.decision.reason}`}`)
    } else if (happened.type === 'tool-start') {
      started.add(happened.toolCallId)
      detail(`→ ${asked.get(happened.toolCallId) ?? callLine({ tool: happened.toolName, input: happened.input })}`)
    } else if (happened.type === 'tool-end' && !happened.ok) {
      detail(`  failed: ${happened.output}`)
    } else if (happened.type === 'message' && happened.message.role === 'assistant') {
      settle(happened.call ?? '', textOf(happened.message.content))
    } else if (happened.type === 'message' && happened.message.role === 'tool') {
      refused(happened.message.content)
    }
  }

  /** Calls that never ran: unknown tools, bad input, and what may not run. */
  function refused(content: ToolContent): void {
    for (const part of content) {
      if (part.type !== 'tool-result' || part.output.type !== 'error-text' || started.has(part.toolCallId)) continue
      detail(`✗ ${part.toolName}`)
      detail(`  refused: ${part.output.value}`)
    }
  }

  return {
    show(event) {
      if (event.type === 'entry') entry(event.entry)
      if (event.type === 'reasoning-delta' && options.details) write(event.text, 'dim')
      if (event.type !== 'text-delta') return
      said.set(event.call, (said.get(event.call) ?? '') + event.text)
      write(event.text)
    },
    finish: line,
  }
}

type Spoken = Extract<Entry, { type: 'message' }>['message']
type AssistantContent = Extract<Spoken, { role: 'assistant' }>['content']
type ToolContent = Extract<Spoken, { role: 'tool' }>['content']

/** A call in one line: the words of its command where they are known. */
function callLine({ tool, argv, command, input }: CallDescription): string {
  const words = argv === undefined ? exactLine(command ?? JSON.stringify(input) ?? '') : argvText(argv)
  return `${tool} ${words}`
}

function textOf(content: AssistantContent): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
