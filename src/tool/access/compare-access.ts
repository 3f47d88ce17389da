import { isDeepStrictEqual } from 'node:util'
import { defined } from '../../platform.ts'
import type { Tool } from '../tool.ts'
import { type AccessRead, type AfterUntrusted, matchesToolName, type SandboxAccess } from './access.ts'
import {
  accessAnswer,
  beginsWith,
  ownAfterUntrusted,
  prefixWords,
  toolAfterUntrusted,
  untrustedRank,
} from './access-answer.ts'
import { prefixRisk } from './prefix-risk.ts'
import { presetBeginnings, presetRisk } from './presets.ts'

/** What a policy says about a tool or a command. */
export type AccessState = 'refused' | 'ask' | 'allowed'

/** The access of one known tool before and after a change of the policy. */
export interface ToolAccessChange {
  readonly name: string
  readonly before: DecidedAccess
  readonly after: DecidedAccess
}

interface DecidedAccess {
  readonly access: AccessState
  readonly rule: string
  /** What is set for calls after texts of others; absent where the tool decides. */
  readonly afterUntrusted?: AfterUntrusted
}

/** Something that a changed policy lets through with fewer questions than the one before. */
export interface WidenedAccess {
  /**
   * `tool`: a tool that is there. `tools`: others of this name or pattern, if there are ever any. `command`: commands of
   * `shell` that begin so; all of them where the name is `*`. `preset`: commands of this preset. `folder`: commands outside the workspace. `sandbox`: programs
   * without a sandbox. `network`, `read`, `write`: what the sandbox lets a command do, or where.
   * `untrusted`: calls of tools of this name or pattern that are asked for after texts of others.
   */
  readonly kind:
    | 'tool'
    | 'tools'
    | 'command'
    | 'preset'
    | 'folder'
    | 'sandbox'
    | 'network'
    | 'read'
    | 'write'
    | 'untrusted'
  readonly name: string
  readonly before: AccessState
  readonly after: AccessState
  readonly rule: string
  /** Why a prefix allows more than it seems to: `it runs …`. */
  readonly risk?: string
}

type Asked = Pick<Tool, 'name' | 'approval' | 'readsContext' | 'afterUntrusted'>

/** The tools whose access, or whose rule, is another one after a change. */
export function changedTools(
  before: AccessRead,
  after: AccessRead,
  tools: readonly Asked[],
): readonly ToolAccessChange[] {
  return tools
    .map((tool) => ({ name: tool.name, before: decidedAccess(before, tool), after: decidedAccess(after, tool) }))
    .filter((each) => !isDeepStrictEqual(each.before, each.after))
}

function decidedAccess(read: AccessRead, tool: Asked): DecidedAccess {
  const set = read.type === 'access' ? toolAfterUntrusted(read.access, tool.name)?.value : undefined
  return { ...stateOf(read, tool), ...defined({ afterUntrusted: set }) }
}

/** All that a changed policy newly lets through, or asks less about: known tools, and one of each other name or pattern. */
export function widenings(before: AccessRead, after: AccessRead, tools: readonly Asked[]): readonly WidenedAccess[] {
  const known = tools.flatMap((tool) => widerTool('tool', tool.name, [tool], before, after))
  const names = [...new Set([...namesIn(before), ...namesIn(after), '*', 'shell'])]
  const later = names
    .filter((name) => !tools.some((tool) => tool.name === name))
    .flatMap((name) => {
      // No name of a tool has this character, so no entry but the pattern itself matches the representative.
      const asked = name.endsWith('*') ? `${name.slice(0, -1)}\u0000` : name
      return widerTool('tools', name, [{ name: asked }, { name: asked, approval: 'ask' }], before, after)
    })
  return [
    ...known,
    ...later,
    ...widerUntrusted(before, after, tools),
    ...widerCommands(before, after),
    ...widerSandbox(before, after),
  ]
}

/** Whether a policy lets anything through that another one refuses, or asks about. Of tools that are not known too. */
export function isWider(before: AccessRead, after: AccessRead): boolean {
  if (widenings(before, after, []).length > 0) return true
  // Readers of the session need not be on the list, so what lets them through is no entry of it.
  const names = [...new Set([...namesIn(before), ...namesIn(after), '*'])]
  return names.some((name) => {
    const asked = { name: name.replace(/\*$/, '\u0000'), readsContext: true }
    return rank(stateOf(after, asked).access) > rank(stateOf(before, asked).access)
  })
}

/** Names for which calls after texts of others need fewer questions than before. */
function widerUntrusted(before: AccessRead, after: AccessRead, tools: readonly Asked[]): readonly WidenedAccess[] {
  if (after.type === 'faulty') return []
  const names = new Set([...namesIn(before), ...namesIn(after), '*', 'shell', ...tools.map(({ name }) => name)])
  const wider = [...names].flatMap((name): readonly WidenedAccess[] => {
    const asked = name.replace(/\*$/, '\u0000')
    const tool = tools.find((each) => each.name === name)
    const own = tool && ownAfterUntrusted(tool) === 'allow' ? ('allow' as const) : undefined
    const set = toolAfterUntrusted(after.access, asked)
    const now = set?.value ?? own
    const old = (before.type === 'access' ? toolAfterUntrusted(before.access, asked)?.value : undefined) ?? own
    if (untrustedRank(now) <= untrustedRank(old)) return []
    const rule = set?.rule ?? 'afterUntrusted'
    return [
      { kind: 'untrusted', name, before: untrustedState(old, 'ask'), after: untrustedState(now, 'allowed'), rule },
    ]
  })
  // What a pattern says of all names is not repeated for each.
  const isCovered = (one: WidenedAccess) =>
    wider.some(
      (other) =>
        other !== one &&
        other.rule === one.rule &&
        other.before === one.before &&
        other.name.endsWith('*') &&
        matchesToolName(other.name, one.name),
    )
  return wider.filter((each) => !isCovered(each))
}

/** The state that a setting gives a call; `unset` is the one to assume where the tool decides. */
function untrustedState(value: AfterUntrusted | undefined, unset: AccessState): AccessState {
  if (value === undefined) return unset
  return value === 'refuse' ? 'refused' : value === 'ask' ? 'ask' : 'allowed'
}

function widerSandbox(before: AccessRead, after: AccessRead): readonly WidenedAccess[] {
  if (after.type === 'faulty') return []
  const old = before.type === 'access' ? before.access.sandbox : undefined
  const now = after.access.sandbox
  const bare = bareState(old)
  const isBarer = rank(bareState(now)) > rank(bare)
  const rule = now.enabled ? 'sandbox.withoutIt' : 'sandbox.enabled'
  const places = (['network', 'readable', 'writable'] as const).flatMap((key) =>
    now[key]
      .filter((name) => old?.enabled !== false && !old?.[key].includes(name))
      .map((name) => ({
        kind: SANDBOX_KINDS[key],
        name,
        before: 'refused' as const,
        after: key === 'network' ? ('ask' as const) : ('allowed' as const),
        rule: `sandbox.${key}`,
      })),
  )
  return [
    ...(isBarer ? [{ kind: 'sandbox' as const, name: '*', before: bare, after: bareState(now), rule }] : []),
    ...places,
  ]
}

const SANDBOX_KINDS = { network: 'network', readable: 'read', writable: 'write' } as const

/** Whether a program may run without a sandbox where none can be made. Without the switch it always may. */
function bareState(sandbox: SandboxAccess | undefined): AccessState {
  if (!sandbox) return 'ask'
  if (!sandbox.enabled || sandbox.withoutIt === 'run') return 'allowed'
  return sandbox.withoutIt === 'ask' ? 'ask' : 'refused'
}

function widerTool(
  kind: 'tool' | 'tools',
  name: string,
  variants: readonly Asked[],
  before: AccessRead,
  after: AccessRead,
): readonly WidenedAccess[] {
  for (const variant of variants) {
    const [old, now] = [stateOf(before, variant), stateOf(after, variant)]
    if (rank(now.access) > rank(old.access))
      return [{ kind, name, before: old.access, after: now.access, rule: now.rule }]
  }
  return []
}

function widerCommands(before: AccessRead, after: AccessRead): readonly WidenedAccess[] {
  const [old, now] = [commandsOf(before), commandsOf(after)]
  const isCovered = (words: readonly string[]) => old.prefixes.some((each) => beginsWith(words, each.words))
  const wider = now.prefixes.flatMap(({ prefix, words }): readonly WidenedAccess[] => {
    const covered = isCovered(words) ? old.access : 'refused'
    if (rank(now.access) <= rank(covered)) return []
    const risk = prefix === '*' ? 'any command, run by a shell' : prefixRisk(prefix)
    const rule = prefix === '*' ? 'tools.shell.mode' : 'tools.shell.allowedPrefixes'
    return [{ kind: 'command', name: prefix, before: covered, after: now.access, rule, ...defined({ risk }) }]
  })
  const presets = now.presets.flatMap((name): readonly WidenedAccess[] => {
    const covered = old.presets.includes(name) || presetBeginnings(name).every(isCovered) ? old.access : 'refused'
    if (rank(now.access) <= rank(covered)) return []
    const risk = presetRisk(name)
    const rule = 'tools.shell.presets'
    return [{ kind: 'preset', name, before: covered, after: now.access, rule, ...defined({ risk }) }]
  })
  const all = [...wider, ...presets]
  // A command that a preset allows runs in the workspace, whatever else is set.
  if (!now.anywhere || old.anywhere || now.prefixes.length === 0) return all
  const rule = 'tools.shell.allowAnyCwd'
  return [...all, { kind: 'folder', name: '*', before: 'refused', after: now.access, rule }]
}

interface AllowedCommands {
  readonly access: AccessState
  readonly prefixes: readonly { readonly prefix: string; readonly words: readonly string[] }[]
  readonly presets: readonly string[]
  readonly anywhere: boolean
}

function commandsOf(read: AccessRead): AllowedCommands {
  const { access } = stateOf(read, { name: 'shell' })
  if (access === 'refused' || read.type === 'faulty') {
    return { access: 'refused', prefixes: [], presets: [], anywhere: false }
  }
  const { mode, presets, allowedPrefixes, allowAnyCwd } = read.access.shell
  const prefixes =
    mode === 'full'
      ? [{ prefix: '*', words: [] }]
      : allowedPrefixes.flatMap((prefix) => {
          const words = prefixWords(prefix)
          return words === undefined ? [] : [{ prefix, words }]
        })
  return { access, prefixes, presets: mode === 'full' ? [] : presets, anywhere: allowAnyCwd }
}

function stateOf(read: AccessRead, tool: Asked): { readonly access: AccessState; readonly rule: string } {
  const { type, rule } = accessAnswer(read, tool)
  return { access: type === 'allow' ? 'allowed' : type === 'ask' ? 'ask' : 'refused', rule }
}

/** Every name and pattern that a policy has an entry for. */
function namesIn(read: AccessRead): readonly string[] {
  if (read.type === 'faulty') return []
  return [...read.access.global.allowedTools, ...Object.keys(read.access.tools)]
}

function rank(access: AccessState): number {
  return access === 'allowed' ? 2 : access === 'ask' ? 1 : 0
}
