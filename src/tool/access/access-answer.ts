import type { Tool } from '../tool.ts'
import type { GateAnswer } from '../toolbox.ts'
import type { Access, AccessRead, ToolAccess } from './access.ts'

/**
 * Whether a tool may run. Refusals come in the order and in the words of BEHAVIOURS §2.3; the rule names the setting
 * that decided. A policy that could not be read refuses everything.
 */
export function accessAnswer(read: AccessRead, tool: Pick<Tool, 'name' | 'approval' | 'readsContext'>): GateAnswer {
  if (read.type === 'faulty') {
    const [first = 'it cannot be read'] = read.problems
    return refuse('tool-access.json', `Tools are disabled (tool-access.json is faulty: ${first})`)
  }
  const { name } = tool
  const { global, shell } = read.access
  if (!global.enabled) return refuse('global.enabled', 'Tools are disabled (enabled=false).')
  if (global.mode === 'off') return refuse('global.mode', 'Tools are disabled (mode=off).')
  const rule = ruleThatAllows(read.access, tool)
  if (rule === undefined) return refuse('global.allowedTools', `Tool is not in allowlist: ${name}`)
  const disabled = `Tool disabled in config: ${name}`
  if (name === 'shell' && !shell.enabled) return refuse('tools.shell.enabled', disabled)
  if (name === 'shell' && shell.mode === 'off') return refuse('tools.shell.mode', disabled)
  const own = ownAccess(read.access, name)
  if (own?.enabled === false) return refuse(`tools.${name}.enabled`, disabled)
  const approval = name === 'shell' ? shell.approval : own?.approval
  if (approval === 'ask') return { type: 'ask', rule: `tools.${name}.approval` }
  if (approval === undefined && tool.approval === 'ask') return { type: 'ask', rule: 'approval' }
  return { type: 'allow', rule }
}

/** Limits that the policy sets for a tool. None for `shell`, which keeps its own. */
export function toolLimits(read: AccessRead, name: string): Pick<ToolAccess, 'timeoutMs' | 'maxShownChars'> {
  const { timeoutMs, maxShownChars } = (read.type === 'access' ? ownAccess(read.access, name) : undefined) ?? {}
  return { ...(timeoutMs !== undefined && { timeoutMs }), ...(maxShownChars !== undefined && { maxShownChars }) }
}

/** Whether a list of names, some with a `*` at their end, holds this one. */
export function isListed(list: readonly string[], name: string): boolean {
  return list.some((entry) => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry))
}

function ruleThatAllows(
  { global }: Access,
  { name, readsContext }: Pick<Tool, 'name' | 'readsContext'>,
): string | undefined {
  if (global.mode === 'full') return 'global.mode'
  if (isListed(global.allowedTools, name)) return 'global.allowedTools'
  return readsContext ? 'reads-context' : undefined
}

function ownAccess({ tools }: Access, name: string): ToolAccess | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined
}

function refuse(rule: string, reason: string): GateAnswer {
  return { type: 'refuse', rule, reason }
}
