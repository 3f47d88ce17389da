import type { ToolDefinition } from '../context.ts'
import { failed } from './failed.ts'
import { inputFault } from './input-fault.ts'
import { cappedResult } from './output-cap.ts'
import { runWithin } from './time-limit.ts'
import type { Tool, ToolCall, ToolContext, ToolResult } from './tool.ts'

/** A fixed set of tools. A value: two toolboxes know nothing of each other. */
export interface Toolbox {
  /** In declared order, so that the head of a request stays the same. */
  readonly tools: readonly Tool[]
  /** What the model is told of them, in the same order. */
  readonly definitions: readonly ToolDefinition[]
  /** Names that were declared more than once: the later tool stands in the earlier one's place (BEHAVIOURS §1.5). */
  readonly replaced: readonly string[]
  /**
   * Runs one call. Never throws: an unknown tool, bad input, a refusal, an exception and a time-out are results that the
   * model reads (BEHAVIOURS §2.2). `meta.failure` says which; it is absent where the tool itself answered.
   */
  run(call: ToolCall, context: RunContext): Promise<ToolResult>
  /** Runs calls side by side; results in the order of the calls. */
  runAll(calls: readonly ToolCall[], context: RunContext): Promise<readonly ToolResult[]>
}

/** What the toolbox needs to know of the turn that calls. */
export type RunContext = Omit<ToolContext, 'toolCallId'>

/** Bounds of every run. */
export interface ToolboxOptions {
  /** Time limit of one run, ms, for tools that declare none. 120,000 unless given. */
  readonly timeoutMs?: number
  /** Longest output of one run, characters. 64,000 unless given. */
  readonly maxOutputChars?: number
  /** Asked after the input was checked and before the tool runs. Everything is allowed unless given. */
  readonly gate?: ToolGate
}

/** Says whether a call may run. A gate that throws has refused. Waiting here does not count against the time limit. */
export type ToolGate = (call: ToolCall, tool: Tool, context: ToolContext) => Promise<GateAnswer>

/** Whether a tool may run. The model reads the reason of a refusal. */
export type GateAnswer = { readonly type: 'allow' } | { readonly type: 'refuse'; readonly reason: string }

/** Tools by name; of two with one name the later stands in the place of the earlier. */
export function createToolbox(declared: readonly Tool[], options: ToolboxOptions = {}): Toolbox {
  const { timeoutMs = 120_000, maxOutputChars = 64_000, gate } = options
  const byName = new Map(declared.map((tool) => [tool.name, tool]))
  const tools = [...byName.values()]

  async function run(call: ToolCall, turn: RunContext): Promise<ToolResult> {
    return cappedResult(await answer(call, { ...turn, toolCallId: call.toolCallId }), maxOutputChars)
  }

  async function answer(call: ToolCall, context: ToolContext): Promise<ToolResult> {
    const tool = byName.get(call.toolName)
    if (!tool) return failed('unknown-tool', `there is no tool named ${call.toolName.slice(0, 200)}`)
    const fault = await inputFault(tool.inputSchema, call.input)
    if (fault !== undefined) return failed('invalid-input', `invalid input for ${tool.name}: ${fault}`)
    const refusal = await refusalOf(gate, call, tool, context)
    if (refusal !== undefined) return failed('refused', refusal)
    return await runWithin(tool, call.input, context, tool.timeoutMs ?? timeoutMs)
  }

  return {
    tools,
    definitions: tools.map(definitionOf),
    replaced: [...new Set(declared.filter((tool) => byName.get(tool.name) !== tool).map((tool) => tool.name))],
    run,
    runAll: (calls, context) => Promise.all(calls.map((call) => run(call, context))),
  }
}

function definitionOf({ name, description, inputSchema, tokens }: Tool): ToolDefinition {
  return {
    name,
    ...(description !== undefined && { description }),
    inputSchema,
    ...(tokens !== undefined && { tokens }),
  }
}

async function refusalOf(
  gate: ToolGate | undefined,
  call: ToolCall,
  tool: Tool,
  context: ToolContext,
): Promise<string | undefined> {
  if (!gate) return undefined
  try {
    const answer = await gate(call, tool, context)
    return answer.type === 'allow' ? undefined : answer.reason
  } catch (error) {
    return `it could not be decided whether ${tool.name} may run: ${error instanceof Error ? error.message : String(error)}`
  }
}
