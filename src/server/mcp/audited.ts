import type { CallToolResult } from '@modelcontextprotocol/server'
import type { AuditFacts, SessionStore } from '../../session.ts'
import type { CalledTool, ToolRefusal } from '../../capability.ts'
import { defined, errorMessage } from '../../platform.ts'

/** Keeps what programs did here, and what they were refused. What only reads leaves no record. */
export interface McpAudit {
  refused(call: CalledTool, refusal: ToolRefusal): Promise<void>
  /** Runs a call between a record before its effect and one after it. Rejects with what `run` rejects with. */
  around(call: CalledTool, run: () => Promise<CallToolResult>): Promise<CallToolResult>
}

interface AuditParts {
  readonly store: Pick<SessionStore, 'transaction'>
  /** ISO 8601. */
  readonly time: () => string
}

/** The most of an input that a record holds, characters. */
const INPUT = 2_000

export function mcpAudit({ store, time }: AuditParts): McpAudit {
  const note = (facts: AuditFacts) => store.transaction([{ type: 'audit', facts, time: time() }])
  return {
    async refused(call, { rule, reason }) {
      await note({ ...factsOf(call), kind: 'decision', decision: 'refused', rule, reason })
    },
    async around(call, run) {
      const facts = factsOf(call)
      await note({ ...facts, kind: 'decision', decision: 'allowed', rule: 'mcp' })
      const started = performance.now()
      const ended = (ok: boolean, text: string) => {
        const durationMs = Math.round(performance.now() - started)
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

function factsOf({ tool, input, client }: CalledTool): Pick<AuditFacts, 'tool' | 'input' | 'reason'> {
  const text = JSON.stringify(input)
  return {
    tool,
    input: text.length > INPUT ? `${text.slice(0, INPUT)}…` : text,
    ...defined({ reason: client === undefined ? undefined : `called by ${client}` }),
  }
}
