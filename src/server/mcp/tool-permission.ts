import {
  accessAnswer,
  accessFile,
  accessPlaces,
  type AccessRead,
  approvalOf,
  readText,
  ruleThatDisables,
} from '../../tool.ts'
import type { McpCatalogue, ToolRefusal } from '../../capability.ts'

/** The policy of a home as it is at each question. The environment tunes the shell alone, which is not offered here. */
export function refusalByPolicy(home: string): McpCatalogue['refusal'] {
  const policy = accessFile(accessPlaces(home), {}, readText)
  return async (tool) => toolRefusal(await policy.current(), tool)
}

/**
 * What `tool-access.json` forbids over MCP: everything where it cannot be read or switches all tools off, and a tool
 * that it names, alone or with a pattern. A program that speaks MCP has its own owner, who lets it call or not; so nothing
 * has to be allowed here by name. A call that a person has to allow is refused, for nobody can be asked about it here.
 */
function toolRefusal(read: AccessRead, name: string): ToolRefusal | undefined {
  const answer = accessAnswer(read, { name })
  if (read.type === 'faulty' || (answer.type === 'refuse' && answer.rule !== 'global.allowedTools')) {
    return answer.type === 'refuse' ? answer : undefined
  }
  const disabled = ruleThatDisables(read.access, name)
  if (disabled !== undefined) return { rule: disabled, reason: `Tool disabled in config: ${name}` }
  const approval = approvalOf(read.access, name)
  if (approval?.value !== 'ask') return undefined
  const { rule } = approval
  return { rule, reason: `A person has to allow each call of ${name} (${rule}), and nobody can be asked over MCP.` }
}
