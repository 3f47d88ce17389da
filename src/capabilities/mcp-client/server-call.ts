import type { ToolResult } from '../../tool.ts'
import { ConnectionFault } from './connection-fault.ts'
import type { McpDefinition } from './definition.ts'
import type { ListedConnection } from './listed-connection.ts'
import { toolResultOf } from './result-text.ts'

/** What a call needs of its server. */
export interface CallSettings {
  /** Of the server. */
  readonly name: string
  /** Why nobody may even try to reach it, or `undefined`. */
  readonly isOut: () => string | undefined
  /** The connection there is, or a new one. */
  readonly connection: () => Promise<ListedConnection>
  /** Why a tool may not be called, as far as is known. */
  readonly faultOf: (tool: string) => string | undefined
  /** Takes secrets out. */
  readonly clean: (text: string) => string
}

export type ServerCall = (definition: McpDefinition, input: unknown, signal: AbortSignal) => Promise<ToolResult>

/**
 * Calls tools of a server, with a connection that is made first where there is none. Only a call that the server has
 * certainly not seen is made a second time. Failures are results that name the server and say why.
 */
export function serverCall({ name, isOut, connection, faultOf, clean }: CallSettings): ServerCall {
  async function made(definition: McpDefinition, input: unknown, signal: AbortSignal): Promise<ToolResult> {
    const linked = await connection().catch((error: unknown) => {
      throw new NoConnection(error)
    })
    await linked.listed()
    signal.throwIfAborted()
    const fault = faultOf(definition.name)
    if (fault !== undefined) return failure(fault)
    try {
      return toolResultOf(await linked.connection.call(definition, input, signal), clean)
    } catch (error) {
      if (error instanceof ConnectionFault && error.isLost) await linked.close()
      throw error
    }
  }

  function failure(error: string): ToolResult {
    return { ok: false, error: clean(error) }
  }

  function told(error: unknown): ToolResult {
    const why = error instanceof Error ? error.message : String(error)
    if (error instanceof NoConnection) return failure(`the MCP server ${name} cannot be reached: ${why}`)
    const isLost = error instanceof ConnectionFault && error.isLost && !error.isUnheard
    return failure(
      isLost
        ? `the MCP server ${name} was lost during the call, which may or may not have taken effect: ${why}`
        : `the call failed at the MCP server ${name}: ${why}`,
    )
  }

  return async (definition, input, signal) => {
    const fault = faultOf(definition.name)
    if (fault !== undefined) return failure(fault)
    const out = isOut()
    if (out !== undefined) return failure(`the MCP server ${name} cannot be reached: ${out}`)
    try {
      return await made(definition, input, signal)
    } catch (error) {
      const isUnheard = error instanceof ConnectionFault && error.isUnheard && !signal.aborted
      return isUnheard ? await made(definition, input, signal).catch(told) : told(error)
    }
  }
}

/** The call was not made: there was nobody to make it to. */
class NoConnection extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
