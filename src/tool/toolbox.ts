import type { ForeignText, ToolDefinition } from '../context.ts'
import { availableParallelism } from 'node:os'
import { type Clock, defined, fairTurns, isObject } from '../platform.ts'
import type { UntrustedAnswer } from './access/access.ts'
import { callDigest, failureMessage, planCall, describePlan, runWithinLimit } from './call-plan.ts'
import {
  type CallDescription,
  type PlannedCall,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolPlan,
  type ToolResult,
  toolFailure,
} from './tool.ts'
import { inputFault } from './schema/input-fault.ts'
import { readToolInput } from './schema/unambiguous-input.ts'
import { sentDefinition } from './sent-definition.ts'
import { boundedImages, cappedResult, redactedResult } from './output-cap.ts'

/** A fixed set of tools. A value: two toolboxes know nothing of each other. */
export interface Toolbox {
  /** In declared order, so that the head of a request stays the same. */
  readonly tools: readonly Tool[]
  /** Their descriptions for the model, in the same order. */
  readonly definitions: readonly ToolDefinition[]
  /** Names that were declared more than once: the later tool replaces the earlier one, at its place (BEHAVIOURS §1.5). */
  readonly replaced: readonly string[]
  /**
   * Checks one call, asks the gate, and describes what would run. Nothing runs yet. Never throws: an unknown tool, bad input
   * and a refusal are results that the model reads (BEHAVIOURS §2.2). `meta.failure` of a result names which; it is absent
   * where the tool itself answered.
   */
  plan(call: ToolCall, context: RunContext): Promise<PlannedCall>
  /** Plans a call and runs it, unless a person would have to be asked: that is a refusal here. Never throws. */
  run(call: ToolCall, context: RunContext): Promise<ToolResult>
}

/** What the toolbox needs to know of the turn that calls. */
export type RunContext = Omit<ToolContext, 'toolCallId' | 'timeoutMs' | 'followsTo'>

interface ToolboxOptions {
  /** Time limit of one run, ms, for tools that declare none. 120,000 unless given. */
  readonly timeoutMs?: number
  /** Longest output of one run that is kept at all, characters. 10,000,000 unless given. */
  readonly maxOutputChars?: number
  /** Asked after the input was checked and before the tool is planned. Everything is allowed unless given. */
  readonly gate?: ToolGate
  /** Takes secrets out of texts. Asked for each result and each plan, before anything is cut, shown or kept. */
  readonly redaction?: Redaction | undefined
}

/** Gives a function that takes the secrets of this moment out of a text. */
export type Redaction = () => Promise<(text: string) => string>

/** Says whether a call may run. A gate that throws has refused. */
export type ToolGate = (call: ToolCall, tool: Tool, context: ToolContext) => Promise<GateAnswer>

/** Whether a tool may run, and the rule that decided. The model reads the reason of a refusal. */
export type GateAnswer =
  | {
      readonly type: 'allow' | 'ask'
      readonly rule: string
      /** Time limit of this run, ms, instead of the tool's own. */
      readonly timeoutMs?: number
      readonly followsTo?: ToolContext['followsTo']
      /** Texts of others that the model has read: a person who is asked sees them. */
      readonly read?: readonly ForeignText[]
      /** Asks because of them. */
      readonly afterUntrusted?: Extract<UntrustedAnswer, { type: 'ask' }>
    }
  | {
      readonly type: 'refuse'
      readonly rule: string
      readonly reason: string
      /** Texts of others, where they are the reason. */
      readonly read?: readonly ForeignText[]
    }

/** Creates a toolbox. Of two tools with one name the later replaces the earlier, at its place. */
export function createToolbox(declared: readonly Tool[], options: ToolboxOptions = {}): Toolbox {
  const { timeoutMs = 120_000, maxOutputChars = 10_000_000, gate = allowAll, redaction } = options
  const byName = new Map(declared.map((tool) => [tool.name, tool]))
  const tools = [...byName.values()]

  /** A result without secrets and without what is too much, in this order: a cut must not hide half of a secret. */
  async function finished(result: ToolResult): Promise<ToolResult> {
    const bounded = boundedImages(result)
    return cappedResult(redaction ? redactedResult(bounded, await redaction()) : bounded, maxOutputChars)
  }

  async function plan(call: ToolCall, turn: RunContext): Promise<PlannedCall> {
    const context: ToolContext = { ...turn, toolCallId: call.toolCallId }
    const { toolName } = call
    const tool = byName.get(toolName)
    if (!tool) {
      const result = toolFailure(`there is no tool named ${toolName.slice(0, 200)}`, 'unknown-tool')
      return { type: 'refused', rule: 'unknown-tool', result }
    }
    // What is checked, shown and run has the tool's own values, not those that stand for them in the description.
    const given = sentDefinition(tool).restore(call.input)
    const checked = await toolInput(tool, given)
    if (checked.fault !== undefined) {
      const described = { tool: toolName, input: given }
      const result = toolFailure(checked.fault, 'invalid-input')
      return { type: 'refused', rule: 'input-schema', result, call: described }
    }
    const { input } = checked
    const described = { tool: toolName, input }
    const answer = await askGate(gate, { ...call, input }, tool, context)
    if (answer.type === 'refuse') {
      const { rule, reason, read } = answer
      return { type: 'refused', rule, result: toolFailure(reason, 'refused'), call: described, ...defined({ read }) }
    }
    const limit = answer.timeoutMs ?? tool.timeoutMs ?? timeoutMs
    const limited = { ...context, timeoutMs: limit, ...defined({ followsTo: answer.followsTo }) }
    const steps = await planCall(tool, input, limited, limit)
    if ('ok' in steps) return { type: 'refused', rule: 'plan', result: await finished(steps), call: described }
    const shown: CallDescription = { ...described, ...describePlan(steps) }
    // A diff shows lines of a file that the model may not have read.
    const { diff } = shown
    const description = redaction && diff !== undefined ? { ...shown, diff: (await redaction())(diff) } : shown
    // A planned tool knows its limit and ends what it started itself: with extra time its output is not lost.
    const grace = tool.plan ? Math.min(limit, 5_000) : 0
    return {
      ...asked(answer, steps),
      call: description,
      digest: callDigest(description),
      ...defined({ loads: steps.loads }),
      async run() {
        const runs = () => runWithinLimit((running) => steps.run(running), limited, limit, grace)
        return finished(await (steps.argv === undefined ? runs() : inProgramTurn(context, runs)))
      },
    }
  }

  async function run(call: ToolCall, turn: RunContext): Promise<ToolResult> {
    const planned = await plan(call, turn)
    if (planned.type === 'refused') return planned.result
    if (planned.type === 'allowed') return planned.run()
    return toolFailure(`a person has to approve each call of ${call.toolName}, and nobody can be asked here`, 'refused')
  }

  return {
    tools,
    definitions: tools.map((tool) => sentDefinition(tool).definition),
    replaced: [...new Set(declared.filter((tool) => byName.get(tool.name) !== tool).map((tool) => tool.name))],
    plan,
    run,
  }
}

/** Programs that one session runs at the same time: as many as there are processors. */
const PROGRAMS_OF_A_SESSION = Math.max(2, availableParallelism())

/** All sessions together run more than one does, so that long programs of one keep no other waiting. */
const programs = new WeakMap<Clock, ReturnType<typeof fairTurns>>()

/** The wait is not part of the time limit, and what the plan checks is checked after it. */
async function inProgramTurn(
  { clock, session, signal }: ToolContext,
  run: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const turns = programs.get(clock) ?? fairTurns(4 * PROGRAMS_OF_A_SESSION, clock, PROGRAMS_OF_A_SESSION)
  programs.set(clock, turns)
  // One that is cancelled while it waits starts nothing.
  const turn = await turns.take(session, signal).catch(() => undefined)
  try {
    return await run()
  } finally {
    turn?.end()
  }
}

/** Whether a person is asked: by the policy, by the plan, or because of what was read. */
function asked(
  { type, rule, read, afterUntrusted }: Exclude<GateAnswer, { type: 'refuse' }>,
  plan: Pick<ToolPlan, 'asks' | 'afterUntrusted'>,
): Pick<Exclude<PlannedCall, { type: 'refused' }>, 'type' | 'rule' | 'read' | 'grant'> {
  const seen = read && read.length > 0 ? { read } : {}
  if (type === 'ask') return { type: 'ask', rule, ...seen }
  if (plan.asks) return { type: 'ask', rule: 'plan', ...seen }
  const changesNothing = afterUntrusted?.byTool === true && plan.afterUntrusted === 'allow'
  if (afterUntrusted && !changesNothing) {
    const { rule: asking, grant } = afterUntrusted
    return { type: 'ask', rule: asking, grant, ...seen }
  }
  return { type: 'allowed', rule, ...seen }
}

async function toolInput(tool: Tool, given: unknown): ReturnType<typeof readToolInput> {
  if (!isObject(given)) return { fault: 'arguments must be an object' }
  const input = tool.normalizeInput?.(given) ?? given
  if (!tool.takesExactInput) return readToolInput(tool.inputSchema, input, (each) => faultIn(tool, each))
  const fault = await faultIn(tool, input)
  return fault === undefined ? { input } : { fault }
}

/** The tool's own words come first (BEHAVIOURS §1.4, §1.5). */
async function faultIn(tool: Tool, input: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  const unshowable = jsonFault(input)
  if (unshowable !== undefined) return `invalid input for ${tool.name}: ${unshowable}`
  const own = ownFault(tool, input)
  if (own !== undefined) return own
  const fault = await inputFault(tool.inputSchema, input, tool.schemaOwner ?? `the tool ${tool.name}`)
  return fault === undefined ? undefined : `invalid input for ${tool.name}: ${fault}`
}

function ownFault(tool: Tool, input: Readonly<Record<string, unknown>>): string | undefined {
  try {
    return tool.inputError?.(input)
  } catch (error) {
    return `${tool.name} could not examine its input: ${failureMessage(error)}`
  }
}

const allowAll: ToolGate = async () => ({ type: 'allow', rule: 'no-policy' })

async function askGate(gate: ToolGate, call: ToolCall, tool: Tool, context: ToolContext): Promise<GateAnswer> {
  try {
    return await gate(call, tool, context)
  } catch (error) {
    const reason = `it could not be decided whether ${tool.name} may run: ${failureMessage(error)}`
    return { type: 'refuse', rule: 'gate-failed', reason }
  }
}

/** Levels of lists and objects in an input. No tool asks for nearly as many. */
const DEEPEST = 128

/** Why a person could not be shown an input as it is: numbers out of bounds would become `null`, and nesting may not end. */
function jsonFault(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'it holds a number that is too large'
  if (typeof value !== 'object' || value === null) return undefined
  if (depth === DEEPEST) return `it is nested more than ${DEEPEST} levels deep`
  for (const inner of Object.values(value)) {
    const fault = jsonFault(inner, depth + 1)
    if (fault !== undefined) return fault
  }
  return undefined
}
