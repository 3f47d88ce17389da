import type { ToolCallPart, ToolMessage } from '../context.ts'
import type { Entry, EntryBody } from '../session.ts'
import type { ToolResult } from '../tool.ts'
import { stopping } from './stopping.ts'
import type { TurnSetup } from './turn-setup.ts'
import { type TurnState, turnState } from './turn-state.ts'

/**
 * Runs the calls of the newest message side by side and writes their results down in the order of the calls.
 *
 * `tool-start` is on disk before a tool runs and `tool-end` before the model can read what it did. A tool that was
 * started and did not end is never run again by itself: nobody knows whether it took effect, and the model is told so.
 * Tools that declare themselves idempotent are repeated (docs/decisions/0007).
 */
export async function runTools(setup: TurnSetup, state: TurnState, calls: readonly ToolCallPart[]): Promise<TurnState> {
  const journal = journalOf(state.entries)
  const runnable = calls.filter((call) => isRunnable(setup, journal, call))
  const started =
    runnable.length > 0 ? await setup.append(runnable.map((call) => startOf(setup, call, callOf(state)))) : []
  const ended: Entry[] = []
  const results = await Promise.all(
    calls.map(async (call) => {
      const known = journal.ended.get(call.toolCallId)
      if (known) return known
      if (!runnable.includes(call)) return interrupted
      const began = setup.now()
      const result = await runOne(setup, call)
      // The process is going down and took the tool with it: what it did is as unknown as after a crash.
      if (setup.signal.reason === stopping) throw new Error(stopping)
      const durationMs = Math.round(setup.now() - began)
      ended.push(...(await setup.append([endOf(setup, call, callOf(state), result, durationMs)])))
      return result
    }),
  )
  const message: ToolMessage = { role: 'tool', content: calls.map((call, index) => resultPart(call, results[index]!)) }
  const body: EntryBody = { type: 'message', turn: setup.turn, message, tokens: setup.tokensOf(message) }
  const entries = await setup.append([body])
  return turnState([...state.entries, ...started, ...ended, ...entries])
}

const interrupted: ToolResult = {
  ok: false,
  error:
    'The gateway stopped while this tool was running. It may or may not have taken effect, and was not run again. ' +
    'Check before you repeat it.',
}

interface Journal {
  readonly started: ReadonlySet<string>
  readonly ended: ReadonlyMap<string, ToolResult>
}

/** Of the newest step alone: some providers give the same call id in every step. */
function journalOf(all: readonly Entry[]): Journal {
  const step = all.findLastIndex((entry) => entry.type === 'message' && entry.message.role === 'assistant')
  const entries = all.slice(step + 1)
  return {
    started: new Set(entries.flatMap((entry) => (entry.type === 'tool-start' ? [entry.toolCallId] : []))),
    ended: new Map(
      entries.flatMap((entry) => {
        if (entry.type !== 'tool-end') return []
        const result: ToolResult = entry.ok ? { ok: true, output: entry.output } : { ok: false, error: entry.output }
        return [[entry.toolCallId, result] as const]
      }),
    ),
  }
}

function isRunnable({ toolbox }: TurnSetup, { started, ended }: Journal, call: ToolCallPart): boolean {
  if (ended.has(call.toolCallId)) return false
  if (!started.has(call.toolCallId)) return true
  return toolbox.tools.find((tool) => tool.name === call.toolName)?.idempotent === true
}

/** A tool that was cancelled answers too: a call is never left without its result. */
async function runOne(setup: TurnSetup, { toolCallId, toolName, input }: ToolCallPart): Promise<ToolResult> {
  if (setup.signal.aborted) return { ok: false, error: 'cancelled before it ran' }
  const { session, turn, signal } = setup
  return setup.toolbox.run({ toolCallId, toolName, input }, { session, turn, signal })
}

/** The call that asked for the tools. */
function callOf({ entries }: TurnState): string {
  const asked = entries.findLast((entry) => entry.type === 'message' && entry.message.role === 'assistant')
  return asked?.type === 'message' ? (asked.call ?? '') : ''
}

function startOf({ turn }: TurnSetup, { toolCallId, toolName, input }: ToolCallPart, call: string): EntryBody {
  return { type: 'tool-start', turn, call, toolCallId, toolName, input }
}

function endOf(
  { turn }: TurnSetup,
  { toolCallId }: ToolCallPart,
  call: string,
  result: ToolResult,
  durationMs: number,
): EntryBody {
  const output = result.ok ? result.output : failureText(result)
  return { type: 'tool-end', turn, call, toolCallId, ok: result.ok, output, durationMs }
}

function resultPart({ toolCallId, toolName }: ToolCallPart, result: ToolResult): ToolMessage['content'][number] {
  const output = result.ok
    ? ({ type: 'text', value: result.output } as const)
    : ({ type: 'error-text', value: failureText(result) } as const)
  return { type: 'tool-result', toolCallId, toolName, output }
}

function failureText(result: Extract<ToolResult, { ok: false }>): string {
  return result.output ? `${result.error}\n${result.output}` : result.error
}
