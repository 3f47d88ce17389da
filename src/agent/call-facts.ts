import { defined } from '../platform.ts'
import { type ForeignText, foreignTextNames, type ToolCallPart, wholeCharacter } from '../context.ts'
import type { AuditFacts } from '../session.ts'
import type { CallDescription, ToolResult } from '../tool.ts'

/** The most of an input in an audit record, characters: the log has all of it. */
const INPUT_CHARS = 1_000

/** The audit facts of a call itself, whether it runs or not. */
export function callFacts({ tool, input, argv, command, folder }: CallDescription): AuditFacts {
  return {
    kind: 'decision',
    tool: tool.slice(0, 200),
    input: serializeInput(input),
    ...defined({ argv, command, folder }),
  }
}

/** Texts of others that were read before a call, as the audit keeps them. */
export function readFacts(read: readonly ForeignText[] | undefined): Pick<AuditFacts, 'read'> {
  return read && read.length > 0 ? { read: foreignTextNames(read) } : {}
}

/** The audit facts of a result; `text` is the result as text. */
export function resultFacts(result: ToolResult, text: string): Partial<AuditFacts> {
  const { exitCode, bytes = Buffer.byteLength(text), truncated = false, failure, argv } = result.meta ?? {}
  return {
    ...defined({ argv }),
    ok: result.ok,
    ...(typeof failure === 'string' ? { reason: failure } : {}),
    ...defined({ exitCode }),
    bytes,
    truncated,
  }
}

export function turnCallFacts(
  { session, id: turn }: { readonly session: string; readonly id: string },
  { part: { toolCallId, toolName, input }, call }: { readonly part: ToolCallPart; readonly call: string },
  described: CallDescription | undefined,
): AuditFacts {
  const asking = call === '' ? {} : { call }
  return { ...callFacts(described ?? { tool: toolName, input }), session, turn, toolCallId, ...asking }
}

function serializeInput(input: unknown): string {
  const text = JSON.stringify(input) ?? ''
  return text.length > INPUT_CHARS ? `${text.slice(0, wholeCharacter(text, INPUT_CHARS))}…` : text
}
