import { accessAnswer, type AccessRead, type Tool, type ToolGate, toolLimits } from '../tool.ts'

/** What may run, as it is decided at this moment: a change of `tool-access.json` holds from the next question on. */
export interface ToolPolicy {
  current(): Promise<AccessRead>
}

/** Those of the tools that may run, or may be asked for. What may not run is not offered (BEHAVIOURS §2.3). */
export async function allowedTools(policy: ToolPolicy, tools: readonly Tool[]): Promise<readonly Tool[]> {
  const access = await policy.current()
  return tools.filter((tool) => accessAnswer(access, tool).type !== 'refuse')
}

/** Decides about each call anew, offered or not. */
export function policyGate(policy: ToolPolicy): ToolGate {
  return async (_call, tool) => {
    const access = await policy.current()
    const answer = accessAnswer(access, tool)
    const { timeoutMs } = toolLimits(access, tool.name)
    return answer.type === 'refuse' || timeoutMs === undefined ? answer : { ...answer, timeoutMs }
  }
}

/** The most of one result that the model is shown, characters. */
export async function shownChars(policy: ToolPolicy, tool: Tool | undefined, otherwise: number): Promise<number> {
  if (!tool) return otherwise
  const { maxShownChars } = toolLimits(await policy.current(), tool.name)
  return maxShownChars ?? tool.maxShownChars ?? otherwise
}
