import type { CallToolResult } from '@modelcontextprotocol/server'
import type { AuditFacts, SessionStore } from '../../session.ts'
import type { McpToolCall, ToolRefusal } from '../../capability.ts'
import { defined, errorMessage } from '../../platform.ts'

/** Records the calls and refusals of MCP clients. Calls that only read leave no record. */
export type McpAudit = ReturnType<typeof createMcpAudit>

interface AuditParts {
  readonly store: Pick<SessionStore, 'transaction' | 'clock'>
}

const MOST_INPUT_CHARS = 2_000

export function createMcpAudit({ store }: AuditParts) {
  const { clock } = store
  const note = (facts: AuditFacts) => store.transaction([{ type: 'audit', facts, time: clock.time() }])
  return {
    async refused(call: McpToolCall, { rule, reason }: ToolRefusal) {
      await note({ ...callFacts(call), kind: 'decision', decision: 'refused', rule, reason })
    },
    /** Runs a call, with a record before its effect and one after it. Rejects with the error of `run`. */
    async around(call: McpToolCall, run: () => Promise<CallToolResult>) {
      const facts = callFacts(call)
      await note({ ...facts, kind: 'decision', decision: 'allowed', rule: 'mcp' })
      const started = clock.monotonic()
      const ended = (ok: boolean, text: string) => {
        const durationMs = Math.round(clock.monotonic() - started)
        return note({ ...facts, kind: 'call', rule: 'mcp', ok, durationMs, bytes: Buffer.byteLength(text) })
      }
      const result = await run().catch(async (error: unknown) => {
        await ended(false, errorMessage(error))
        throw error
      })
      const [block] = result.content
      await ended(result.isError !== true, block?.type === 'text' ? block.text : '')
      return result
    },
  }
}

function callFacts({ tool, input, client, by }: McpToolCall): Pick<AuditFacts, 'tool' | 'input' | 'by' | 'reason'> {
  const text = JSON.stringify(input)
  return {
    tool,
    input: text.length > MOST_INPUT_CHARS ? `${text.slice(0, MOST_INPUT_CHARS)}…` : text,
    ...defined({ by, reason: client === undefined ? undefined : `called by ${client}` }),
  }
}
