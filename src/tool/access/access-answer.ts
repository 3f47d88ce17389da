import type { ForeignText } from '../../context.ts'
import { defined, sha256 } from '../../platform.ts'
import type { Tool } from '../tool.ts'
import type { GateAnswer } from '../toolbox.ts'
import {
  type Access,
  type AccessRead,
  type AfterUntrusted,
  isListed,
  matchesToolName,
  type ToolAccess,
  type UntrustedAnswer,
  toolSetting,
} from './access.ts'
import { commandWords } from './command-words.ts'
import { presetAnswer } from './presets.ts'

/** Whether a tool may run, in the order and words of BEHAVIOURS §2.3, and the setting that decided. A faulty policy refuses all. */
export function accessAnswer(read: AccessRead, tool: Pick<Tool, 'name' | 'approval' | 'readsContext'>): GateAnswer {
  if (read.type === 'faulty') {
    return refuse('tool-access.json', `Tools are disabled (${faultyText(read.problems.slice(0, 1))})`)
  }
  const { name } = tool
  const { global } = read.access
  if (!global.enabled) return refuse('global.enabled', 'Tools are disabled (enabled=false).')
  if (global.mode === 'off') return refuse('global.mode', 'Tools are disabled (mode=off).')
  const rule = ruleThatAllows(read.access, tool)
  if (rule === undefined) return refuse('global.allowedTools', `Tool is not in allowlist: ${name}`)
  const disabled = disablingRule(read.access, name)
  if (disabled !== undefined) return refuse(disabled, `Tool disabled in config: ${name}`)
  const approval = toolApproval(read.access, name)
  if (approval?.value === 'ask') return { type: 'ask', rule: approval.rule }
  if (approval === undefined && tool.approval === 'ask') return { type: 'ask', rule: 'approval' }
  return { type: 'allow', rule }
}

/** The setting that switches this one tool off, such as `tools.read_*.enabled`; `undefined` where none does. */
export function disablingRule({ shell, tools }: Access, name: string): string | undefined {
  if (name === 'shell') {
    if (!shell.enabled) return 'tools.shell.enabled'
    return shell.mode === 'off' ? 'tools.shell.mode' : undefined
  }
  const enabled = toolSetting(tools, name, 'enabled')
  return enabled?.value === false ? enabled.rule : undefined
}

/** Whether a person decides about each call, as the policy has it; `undefined` leaves it to the tool. */
export function toolApproval(
  { shell, tools }: Access,
  name: string,
): { readonly value: 'ask' | 'never'; readonly rule: string } | undefined {
  if (name !== 'shell') return toolSetting(tools, name, 'approval')
  return { value: shell.approval, rule: shell.approvalRule ?? 'tools.shell.approval' }
}

/** What keeps a shell that is switched on from running anything, and what to do; `undefined` where nothing does, or it is off. */
export function shellGap({ global, shell }: Access): { readonly message: string; readonly hint: string } | undefined {
  const isOn = global.enabled && global.mode !== 'off' && shell.enabled && shell.mode !== 'off'
  if (!isOn) return undefined
  if (ruleThatAllows({ global, shell }, { name: 'shell' }) === undefined) {
    const hint = 'Allow it with `foreword tools allow shell`, or set SHELL_TOOL_ENABLED=true.'
    return { message: 'the shell is switched on, and yet refused, because it is not in global.allowedTools', hint }
  }
  if (shell.mode === 'full' || shell.presets.length + shell.allowedPrefixes.length > 0) return undefined
  const hint =
    'Name presets in tools.shell.presets of tool-access.json or SHELL_TOOL_PRESETS, such as files-read and search, or prefixes ' +
    'in SHELL_TOOL_ALLOWED_PREFIXES. Explain the presets with `foreword tools presets`.'
  return { message: 'the shell may run no command yet', hint }
}

/** Limits that the policy sets for a tool. None for `shell`, which keeps its own. */
export function toolLimits(read: AccessRead, name: string): Pick<ToolAccess, 'timeoutMs' | 'maxShownChars'> {
  if (read.type === 'faulty' || name === 'shell') return {}
  const { tools } = read.access
  return defined({
    timeoutMs: toolSetting(tools, name, 'timeoutMs')?.value,
    maxShownChars: toolSetting(tools, name, 'maxShownChars')?.value,
  })
}

function ruleThatAllows(
  { global, shell }: Pick<Access, 'global' | 'shell'>,
  { name, readsContext }: Pick<Tool, 'name' | 'readsContext'>,
): string | undefined {
  if (global.mode === 'full') return 'global.mode'
  if (isListed(global.allowedTools, name)) return 'global.allowedTools'
  if (name === 'shell' && shell.entry !== undefined) return shell.entry
  return readsContext ? 'reads-context' : undefined
}

function refuse(rule: string, reason: string): GateAnswer {
  return { type: 'refuse', rule, reason }
}

/** Why nothing may run: the policy has these problems. */
export function faultyText(problems: readonly string[]): string {
  return `tool-access.json is faulty: ${problems.length === 0 ? 'it cannot be read' : problems.join('; ')}`
}

/** The first prefix that a command begins with, in whole words (BEHAVIOURS §2.4). One that only a shell understands allows none. */
export function allowingPrefix(argv: readonly string[], prefixes: readonly string[]): string | undefined {
  return prefixes.find((prefix) => {
    const words = prefixWords(prefix)
    return words !== undefined && beginsWith(argv, words)
  })
}

/** The words of a prefix; `undefined` where it allows nothing. */
export function prefixWords(prefix: string): readonly string[] | undefined {
  const read = commandWords(prefix)
  return read.type === 'words' && read.words.length > 0 ? read.words : undefined
}

export function beginsWith(words: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((word, index) => words[index] === word)
}

/** Whether the policy lets `shell` run a command, and the setting that decides. Runs nothing and looks at no path. */
export function commandAnswer(read: AccessRead, command: string): GateAnswer {
  const answer = accessAnswer(read, { name: 'shell' })
  if (answer.type === 'refuse' || read.type === 'faulty') return answer
  const { mode, presets, allowedPrefixes } = read.access.shell
  if (mode === 'full') return answer.type === 'ask' ? answer : { type: 'allow', rule: 'tools.shell.mode' }
  const words = commandWords(command)
  if (words.type === 'refused') return { type: 'refuse', rule: 'tools.shell.mode', reason: words.why }
  // A free prefix comes first: with it, a preset that allows the command too confines nothing.
  const prefix = allowingPrefix(words.words, allowedPrefixes)
  const preset = presetAnswer(words.words, presets)
  if (prefix === undefined && preset.type === 'refused') {
    return presets.length > 0
      ? { type: 'refuse', rule: PRESETS, reason: preset.why }
      : { type: 'refuse', rule: PREFIXES, reason: 'no prefix allows this command' }
  }
  if (answer.type === 'ask') return answer
  const rule = preset.type === 'allowed' && prefix === undefined ? PRESETS : PREFIXES
  const name = prefix ?? (preset.type === 'allowed' ? preset.preset : '')
  return { type: 'allow', rule: `${rule} ${JSON.stringify(name)}` }
}

const PRESETS = 'tools.shell.presets'
const PREFIXES = 'tools.shell.allowedPrefixes'

/** What a turn has read of others when a call is asked for, and which addresses it may open all the same. */
export interface Taint {
  /** In the order in which they came in. Empty: only the person, the operator and the model wrote what was read. */
  readonly texts: readonly ForeignText[]
  /** Whether an address stands exactly so in words of the person or the operator, in a link of a page of a host that they named, or was found by a search. */
  isNamed(address: string): boolean
}

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
