import {
  accessAnswer,
  type AccessRead,
  createToolbox,
  type GateAnswer,
  type OfferedWhile,
  type Tool,
  type ToolGate,
  toolLimits,
} from '../../tool.ts'

/** The policy for tools as it is now: a change of `tool-access.json` takes effect at the next decision. */
export interface ToolPolicy {
  current(): Promise<AccessRead>
  /** Names of tools whose definition is not the one that their owner accepted: they may not run, whatever is allowed. */
  withheld?(): ReadonlySet<string>
}

/** Those of the tools that may run, or may be asked for. What may not run is not offered (BEHAVIOURS §2.3). */
export async function allowedTools(policy: ToolPolicy, tools: readonly Tool[]): Promise<readonly Tool[]> {
  const access = await policy.current()
  const withheld = policy.withheld?.()
  return createToolbox(tools).tools.filter(
    (tool) => !withheld?.has(tool.name) && accessAnswer(access, tool).type !== 'refuse',
  )
}

/** Decides about each call at the time of the call, offered or not. */
export function policyGate(policy: ToolPolicy): ToolGate {
  return async (_call, tool) => {
    const access = await policy.current()
    const answer = accessAnswer(access, tool)
    if (answer.type !== 'refuse' && policy.withheld?.().has(tool.name)) return withheldAnswer(tool.name)
    const { timeoutMs } = toolLimits(access, tool.name)
    return answer.type === 'refuse' || timeoutMs === undefined ? answer : { ...answer, timeoutMs }
  }
}

function withheldAnswer(name: string): GateAnswer {
  const reason = `Tool is withheld: the definition of ${name} has changed, and its owner has not accepted that`
  return { type: 'refuse', rule: 'withheld', reason }
}

/** The most of one result that the model is shown, characters. */
export async function shownChars(policy: ToolPolicy, tool: Tool | undefined, otherwise: number): Promise<number> {
  if (!tool) return otherwise
  const { maxShownChars } = toolLimits(await policy.current(), tool.name)
  return maxShownChars ?? tool.maxShownChars ?? otherwise
}

/** What the operator should know: a policy that cannot be read, and tools that share a name (BEHAVIOURS §1.5). */
export async function toolWarnings(policy: ToolPolicy, tools: readonly Tool[]): Promise<readonly string[]> {
  const access = await policy.current()
  const faults = access.type === 'faulty' ? access.problems : []
  return [
    ...faults.map((fault) => `tool-access.json: ${fault}. Fix it: no tool may run until then.`),
    ...createToolbox(tools).replaced.map(
      (name) => `The tool ${name} is declared more than once; the last one is used.`,
    ),
  ]
}

/** Those of the tools that can be of use now. */
export async function offeredTools(tools: readonly Tool[]): Promise<readonly Tool[]> {
  const holds = await offerConditions(tools)
  return tools.filter(({ offeredWhile }) => !offeredWhile || holds.get(offeredWhile))
}

/** What tools wait for, and whether it is so now. Asked once, however many wait for the same. */
export async function offerConditions(tools: readonly Tool[]): Promise<ReadonlyMap<OfferedWhile, boolean>> {
  const conditions = [...new Set(tools.flatMap(({ offeredWhile }) => offeredWhile ?? []))]
  return new Map(await Promise.all(conditions.map(async (each) => [each, await each.isSo()] as const)))
}
