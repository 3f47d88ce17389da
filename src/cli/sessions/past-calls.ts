import { outputText, type ToolCallPart, toolResults } from '../../context.ts'
import type { Entry } from '../../session.ts'
import { oneLine } from '../table.ts'

export interface PastCalls {
  /** Given every entry of a turn, in order. */
  take(entry: Entry): void
  /** The turn is over here, or has come no further. */
  over(): void
}

/**
 * Tells the calls of a turn, each with what became of it, in the order in which the model asked for them: `→` ran, `✗` did
 * not, `?` is still open.
 */
export function pastCalls(tell: (line: string) => void): PastCalls {
  let calls: readonly ToolCallPart[] = []
  let started = new Set<string>()
  let waiting = new Set<string>()

  function line(mark: string, { toolName, input }: ToolCallPart, became: string): void {
    tell(`${mark} ${oneLine(`${toolName} ${JSON.stringify(input)}`, 100)}`)
    tell(`  ${oneLine(became, 100)}`)
  }

  function settle(message: Extract<Entry, { type: 'message' }>['message']): void {
    for (const { toolCallId, output } of toolResults(message)) {
      const call = calls.find((each) => each.toolCallId === toolCallId)
      const failed = output.type.startsWith('error')
      const became = `${failed ? 'failed' : 'ok'}: ${outputText(output)}`
      if (call) line(started.has(toolCallId) ? '→' : '✗', call, became)
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
    take(entry) {
      if (entry.type === 'message' && entry.message.role === 'assistant') begin(entry.message)
      if (entry.type === 'message' && entry.message.role === 'tool') settle(entry.message)
      if (entry.type === 'tool-start') started.add(entry.toolCallId)
      if (entry.type === 'approval-request') waiting.add(entry.toolCallId)
      if (entry.type === 'approval' || entry.type === 'tool-end') waiting.delete(entry.toolCallId)
    },
    over() {
      for (const call of calls) {
        line('?', call, waiting.has(call.toolCallId) ? 'it waits for your approval' : 'nothing is known of its end yet')
      }
      calls = []
    },
  }
}
