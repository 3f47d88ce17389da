import {
  accessAnswer,
  accessFile,
  accessPaths,
  type AccessRead,
  toolApproval,
  readText,
  disablingRule,
} from '../../tool.ts'
import type { McpCatalogue, ToolRefusal } from '../../capability.ts'

/** Checks tools against the file of a home that is not open yet. The environment only affects the shell, which is not offered here. */
export function refusalByPolicy(home: string): McpCatalogue['refusal'] {
  const policy = accessFile(accessPaths(home), {}, readText)
  return async (tool) => toolRefusal(await policy.current(), tool)
}

/**
 * What `tool-access.json` forbids over MCP: every tool where it cannot be read or disables all tools, and each tool that it
 * disables by name or pattern. The owner of an MCP client decides about its calls, so no tool has to be allowed by name. A call
 * that needs approval is refused, because nobody can be asked over MCP.
 */
export function toolRefusal(read: AccessRead, name: string): ToolRefusal | undefined {
  const answer = accessAnswer(read, { name })
  if (read.type === 'faulty' || (answer.type === 'refuse' && answer.rule !== 'global.allowedTools')) {
    return answer.type === 'refuse' ? answer : undefined
  }
  const disabled = disablingRule(read.access, name)
  if (disabled !== undefined) return { rule: disabled, reason: `Tool disabled in config: ${name}` }
  const approval = toolApproval(read.access, name)
  if (approval?.value !== 'ask') return undefined
  const { rule } = approval
  return { rule, reason: `A person has to allow each call of ${name} (${rule}), and nobody can be asked over MCP.` }
}
