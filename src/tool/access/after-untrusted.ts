import type { ForeignText } from '../../context.ts'
import { sha256 } from '../../platform.ts'
import type { Tool } from '../tool.ts'
import { type Access, type AfterUntrusted, matchesToolName, toolSetting } from './access.ts'

/** What a turn has read of others when a call is asked for, and which addresses it may open all the same. */
export interface Taint {
  /** In the order in which they came in. Empty: only the person, the operator and the model wrote what was read. */
  readonly texts: readonly ForeignText[]
  /** Whether an address stands exactly so in words of the person or the operator, in a link of a page of a host that they named, or was found by a search. */
  isNamed(address: string): boolean
}

/** What becomes of a call because of what was read before it. */
export type UntrustedAnswer =
  | { readonly type: 'allow' }
  /**
   * `byTool`: the policy says nothing, so a plan that changes nothing, or the workspace alone, needs no question. `grant`: what a
   * person may grant to the tool for the session (`policyDigest`).
   */
  | { readonly type: 'ask'; readonly rule: string; readonly byTool: boolean; readonly grant: string }
  | { readonly type: 'refuse'; readonly rule: string }

type Judged = Pick<Tool, 'name' | 'origin' | 'readsContext' | 'afterUntrusted' | 'readsFrom'>

/**
 * Decides about a call that was asked for after texts of others. What the policy sets for the tool holds for each such call; of
 * a tool that opens addresses, for each call with an address that nobody named. Where the policy says nothing, tools that
 * change nothing, or files of the workspace alone, may run and the others ask, unless their plan is confined in the same way.
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
  if (value === 'refuse') return { type: 'refuse', rule }
  return { type: 'ask', rule, byTool: set === undefined, grant: policyDigest(access, tool.name) }
}

/** Whether a redirect of a call may lead to an address; `undefined` where every one may. */
export function redirectRule(access: Access, tool: Judged, taint: Taint): ((address: string) => boolean) | undefined {
  if (taint.texts.length === 0 || !opensAddresses(tool)) return undefined
  const value = toolAfterUntrusted(access, tool.name)?.value ?? ownAfterUntrusted(tool)
  return value === 'allow' ? undefined : (address) => taint.isNamed(address)
}

/** SHA-256 of all that the policy says about a tool: what a person granted to it ends when this changes. */
export function policyDigest({ global, tools, shell, sandbox }: Access, name: string): string {
  const about = (written: string) => matchesToolName(written, name)
  return sha256(
    JSON.stringify([
      name,
      { ...global, allowedTools: global.allowedTools.filter(about) },
      Object.entries(tools).filter(([written]) => about(written)),
      name === 'shell' && shell,
      sandbox,
    ]),
  )
}

/** What the policy sets for a tool, or for all; `undefined` leaves it to the tool. */
export function toolAfterUntrusted(
  { global, shell, tools }: Pick<Access, 'global' | 'shell' | 'tools'>,
  name: string,
): { readonly value: AfterUntrusted; readonly rule: string } | undefined {
  if (name === 'shell' && shell.afterUntrusted !== undefined) {
    return { value: shell.afterUntrusted, rule: 'tools.shell.afterUntrusted' }
  }
  const set = toolSetting(tools, name, 'afterUntrusted')
  if (set !== undefined || global.afterUntrusted === undefined) return set
  return { value: global.afterUntrusted, rule: 'global.afterUntrusted' }
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
