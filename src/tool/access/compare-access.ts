import type { Tool } from '../tool.ts'
import type { AccessRead, SandboxAccess } from './access.ts'
import { accessAnswer } from './access-answer.ts'
import { beginsWith, prefixWords } from './command-answer.ts'
import { prefixRisk } from './prefix-risk.ts'

/** What a policy says about a tool or a command. */
export type AccessState = 'refused' | 'ask' | 'allowed'

/** The access of one known tool before and after a change of the policy. */
export interface ToolAccessChange {
  readonly name: string
  readonly before: { readonly access: AccessState; readonly rule: string }
  readonly after: { readonly access: AccessState; readonly rule: string }
}

/** Something that a changed policy lets through with fewer questions than the one before. */
export interface WidenedAccess {
  /**
   * `tool`: a tool that is there. `tools`: others of this name or pattern, if there are ever any. `command`: commands of
   * `shell` that begin so; all of them where the name is `*`. `folder`: commands outside the workspace. `sandbox`: programs
   * without a sandbox. `network`, `read`, `write`: what the sandbox lets a command do, or where.
   */
  readonly kind: 'tool' | 'tools' | 'command' | 'folder' | 'sandbox' | 'network' | 'read' | 'write'
  readonly name: string
  readonly before: AccessState
  readonly after: AccessState
  /** The setting that lets it through. */
  readonly rule: string
  /** Why a prefix allows more than it seems to: `it runs …`. */
  readonly risk?: string
}

type Asked = Pick<Tool, 'name' | 'approval' | 'readsContext'>

/** The tools whose access, or whose rule, is another one after a change. */
export function changedTools(
  before: AccessRead,
  after: AccessRead,
  tools: readonly Asked[],
): readonly ToolAccessChange[] {
  return tools
    .map((tool) => ({ name: tool.name, before: stateOf(before, tool), after: stateOf(after, tool) }))
    .filter((each) => each.before.access !== each.after.access || each.before.rule !== each.after.rule)
}

/**
 * Everything that a change of the policy lets through and that was refused, or asked about, before: known tools, and one
 * representative of every other name that an entry of either policy matches, so nothing can be widened unseen.
 */
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
  return [...known, ...later, ...widerCommands(before, after), ...widerSandbox(before, after)]
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
  const wider = now.prefixes.flatMap(({ prefix, words }): readonly WidenedAccess[] => {
    const covered = old.prefixes.some((each) => beginsWith(words, each.words)) ? old.access : 'refused'
    if (rank(now.access) <= rank(covered)) return []
    const risk = prefix === '*' ? 'any command, run by a shell' : prefixRisk(prefix)
    const rule = prefix === '*' ? 'tools.shell.mode' : 'tools.shell.allowedPrefixes'
    return [
      {
        kind: 'command',
        name: prefix,
        before: covered,
        after: now.access,
        rule,
        ...(risk === undefined ? {} : { risk }),
      },
    ]
  })
  if (!now.anywhere || old.anywhere || now.prefixes.length === 0) return wider
  const rule = 'tools.shell.allowAnyCwd'
  return [...wider, { kind: 'folder', name: '*', before: 'refused', after: now.access, rule }]
}

interface AllowedCommands {
  readonly access: AccessState
  readonly prefixes: readonly { readonly prefix: string; readonly words: readonly string[] }[]
  readonly anywhere: boolean
}

function commandsOf(read: AccessRead): AllowedCommands {
  const { access } = stateOf(read, { name: 'shell' })
  if (access === 'refused' || read.type === 'faulty') return { access: 'refused', prefixes: [], anywhere: false }
  const { mode, allowedPrefixes, allowAnyCwd } = read.access.shell
  const prefixes =
    mode === 'full'
      ? [{ prefix: '*', words: [] }]
      : allowedPrefixes.flatMap((prefix) => {
          const words = prefixWords(prefix)
          return words === undefined ? [] : [{ prefix, words }]
        })
  return { access, prefixes, anywhere: allowAnyCwd }
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
