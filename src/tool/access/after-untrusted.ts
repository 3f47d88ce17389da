import type { ForeignText } from '../../context.ts'
import type { Tool } from '../tool.ts'
import { type Access, type AfterUntrusted, toolSetting } from './access.ts'

/** What a turn has read of others when a call is asked for, and which addresses it may open all the same. */
export interface Taint {
  /** In the order in which they came in. Empty: only the person, the operator and the model wrote what was read. */
  readonly texts: readonly ForeignText[]
  /** Whether the person or the operator named an address, or a search found exactly this one. */
  isNamed(address: string): boolean
}

/** What becomes of a call because of what was read before it. */
export type UntrustedAnswer =
  | { readonly type: 'allow' }
  /** `byTool`: the policy says nothing, so a plan that changes nothing needs no question. */
  | { readonly type: 'ask'; readonly rule: string; readonly byTool: boolean }
  | { readonly type: 'refuse'; readonly rule: string }

type Judged = Pick<Tool, 'name' | 'origin' | 'readsContext' | 'afterUntrusted' | 'readsFrom'>

/**
 * Decides about a call that was asked for after texts of others. What the policy sets for the tool holds for each such call; of
 * a tool that opens addresses, for each call with an address that nobody named. Where the policy says nothing, tools that
 * change nothing may run and the others ask.
 */
export function untrustedAnswer(access: Access, tool: Judged, input: unknown, taint: Taint): UntrustedAnswer {
  if (taint.texts.length === 0) return { type: 'allow' }
  if (opensAddresses(tool) && addressesOf(tool, input).every((address) => taint.isNamed(address))) {
    return { type: 'allow' }
  }
  const set = toolAfterUntrusted(access, tool.name)
  const value = set?.value ?? ownAfterUntrusted(tool)
  if (value === 'allow') return { type: 'allow' }
  const rule = set?.rule ?? 'afterUntrusted'
  return value === 'ask' ? { type: 'ask', rule, byTool: set === undefined } : { type: 'refuse', rule }
}

/** What the policy sets for a tool; `undefined` leaves it to the tool. */
export function toolAfterUntrusted(
  { shell, tools }: Pick<Access, 'shell' | 'tools'>,
  name: string,
): { readonly value: AfterUntrusted; readonly rule: string } | undefined {
  if (name === 'shell' && shell.afterUntrusted !== undefined) {
    return { value: shell.afterUntrusted, rule: 'tools.shell.afterUntrusted' }
  }
  return toolSetting(tools, name, 'afterUntrusted')
}

/** From the strictest to the widest. Where nothing is set, the tool decides: at least it asks, at most it allows. */
export function untrustedRank(value: AfterUntrusted | undefined): number {
  return value === 'refuse' ? 0 : value === 'ask' ? 1 : value === undefined ? 2 : 3
}

/** What a tool says of itself where the policy says nothing. */
export function ownAfterUntrusted(tool: Pick<Tool, 'readsContext' | 'afterUntrusted'>): 'ask' | 'allow' {
  return tool.afterUntrusted ?? (tool.readsContext ? 'allow' : 'ask')
}

/** Whether a call can send something out by the address that it opens. */
export function opensAddresses({ origin, readsFrom }: Pick<Tool, 'origin' | 'readsFrom'>): boolean {
  return origin === 'web' && readsFrom !== undefined
}

/** Nothing can be known of an input that is no object. */
function addressesOf(tool: Judged, input: unknown): readonly string[] {
  if (typeof input !== 'object' || input === null) return ['']
  return tool.readsFrom!(input as Readonly<Record<string, unknown>>)
}
