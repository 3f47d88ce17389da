import { accessAnswer, type AccessRead } from '../../tool.ts'
import type { ToolRefusal } from './catalogue.ts'

/**
 * What `tool-access.json` forbids at this door: everything where it cannot be read or switches all tools off, and a tool
 * that it names. A program that speaks MCP has its own owner, who lets it call or not; so nothing has to be allowed here
 * by name. A call that a person has to allow is refused, for nobody can be asked about it here.
 */
export function toolRefusal(access: AccessRead, name: string): ToolRefusal | undefined {
  const answer = accessAnswer(access, { name })
  if (answer.type === 'refuse' && answer.rule !== 'global.allowedTools') return answer
  const own =
    access.type === 'access' && Object.hasOwn(access.access.tools, name) ? access.access.tools[name] : undefined
  if (own?.enabled === false) {
    return { rule: `tools.${name}.enabled`, reason: `Tool disabled in config: ${name}` }
  }
  if (own?.approval !== 'ask') return undefined
  const rule = `tools.${name}.approval`
  return { rule, reason: `A person has to allow each call of ${name} (${rule}), and nobody can be asked over MCP.` }
}
