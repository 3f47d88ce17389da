import { defined } from '../../platform.ts'
import {
  type Access,
  type AccessRead,
  type AfterUntrusted,
  matchesToolName,
  type SandboxAccess,
  type ShellAccess,
  type ToolAccess,
  toolSetting,
} from './access.ts'
import { allowingPrefix, beginsWith, prefixWords, toolAfterUntrusted, untrustedRank } from './access-answer.ts'
import { presetBeginnings } from './presets.ts'

/**
 * What two policies both let through. A decision of it is never wider than the decision of either. Limits that let nothing
 * through (`timeoutMs`, `maxShownChars`, `maxOutputChars`, `memoryMiB`) are those of `now`. Where one of them is faulty, so is
 * the result.
 */
export function narrowAccess(accepted: AccessRead, now: AccessRead): AccessRead {
  if (now.type === 'faulty') return now
  if (accepted.type === 'faulty') return accepted
  const [one, other] = [accepted.access, now.access]
  const names = [...new Set([...Object.keys(one.tools), ...Object.keys(other.tools)])].toSorted()
  return {
    type: 'access',
    access: {
      global: narrowGlobal(one.global, other.global),
      tools: Object.fromEntries(names.map((name) => [name, narrowTool(one, other, name)])),
      shell: narrowShell(one, other),
      sandbox: narrowSandbox(one.sandbox, other.sandbox),
    },
  }
}

/** The text of a `tool-access.json` with exactly this policy. */
export function accessText({
  global,
  tools,
  shell: { approvalRule: _rule, entry: _entry, ...shell },
  sandbox,
}: Access): string {
  return JSON.stringify({ global, tools: { ...tools, shell }, sandbox }, null, 2)
}

type Mode = Access['global']['mode']

function narrowGlobal(one: Access['global'], other: Access['global']): Access['global'] {
  const allowedTools =
    one.mode === 'full'
      ? other.allowedTools
      : other.mode === 'full'
        ? one.allowedTools
        : common(one.allowedTools, other.allowedTools, matchesToolName)
  return {
    enabled: one.enabled && other.enabled,
    mode: narrowMode(one.mode, other.mode),
    allowedTools,
    ...defined({ afterUntrusted: narrowUntrusted([one.afterUntrusted, other.afterUntrusted]) }),
  }
}

function narrowMode(one: Mode, other: Mode): Mode {
  if (one === 'off' || other === 'off') return 'off'
  return one === 'full' && other === 'full' ? 'full' : 'allowlist'
}

/** What entries of both lists cover: of two entries of which one covers the other, the narrower. */
function common(
  one: readonly string[],
  other: readonly string[],
  covers: (wider: string, narrower: string) => boolean,
): readonly string[] {
  const both = [
    ...other.filter((entry) => one.some((each) => covers(each, entry))),
    ...one.filter((entry) => other.some((each) => covers(each, entry))),
  ]
  return [...new Set(both)]
}

/**
 * The settings under a name that one of the policies has. Each policy is asked as for a tool of that name, so its wider
 * patterns count.
 */
function narrowTool(one: Access, other: Access, name: string): ToolAccess {
  const setting = <Key extends keyof ToolAccess>(key: Key) =>
    [toolSetting(one.tools, name, key)?.value, toolSetting(other.tools, name, key)?.value] as const
  const enabled = setting('enabled')
  const approval = setting('approval')
  return defined({
    enabled: enabled.includes(false) ? false : (enabled[0] ?? enabled[1]),
    approval: narrowApproval(approval),
    // What is set for all tools counts, since this entry goes before it.
    afterUntrusted: narrowUntrusted([toolAfterUntrusted(one, name)?.value, toolAfterUntrusted(other, name)?.value]),
    timeoutMs: setting('timeoutMs')[1],
    maxShownChars: setting('maxShownChars')[1],
  })
}

/** Absent leaves it to the tool, which may ask: narrower than never to ask. */
function narrowApproval(values: readonly (ToolAccess['approval'] | undefined)[]): ToolAccess['approval'] | undefined {
  if (values.includes('ask')) return 'ask'
  return values.includes(undefined) ? undefined : 'never'
}

/** The stricter of two. Absent leaves it to the tool, which may ask: narrower than to allow, wider than to ask. */
function narrowUntrusted([one, other]: readonly [AfterUntrusted | undefined, AfterUntrusted | undefined]):
  | AfterUntrusted
  | undefined {
  return untrustedRank(one) < untrustedRank(other) ? one : other
}

function narrowShell(first: Access, second: Access): ShellAccess {
  const [one, other] = [first.shell, second.shell]
  const { approvalRule, afterUntrusted: _afterUntrusted, ...now } = other
  const untrusted = narrowUntrusted([
    toolAfterUntrusted(first, 'shell')?.value,
    toolAfterUntrusted(second, 'shell')?.value,
  ])
  const asks = one.approval === 'ask' || other.approval === 'ask'
  const rule = other.approval === 'ask' || !asks ? approvalRule : one.approvalRule
  const lists = one.mode === 'full' ? other : other.mode === 'full' ? one : commonCommands(one, other)
  return {
    ...now,
    enabled: one.enabled && other.enabled,
    mode: narrowMode(one.mode, other.mode),
    approval: asks ? 'ask' : 'never',
    ...defined({ approvalRule: rule, afterUntrusted: untrusted }),
    presets: lists.presets,
    allowedPrefixes: lists.allowedPrefixes,
    allowAnyCwd: one.allowAnyCwd && other.allowAnyCwd,
  }
}

type Commands = Pick<ShellAccess, 'presets' | 'allowedPrefixes'>

/** A preset counts where both have it, or where one has it and prefixes of the other one allow all of its commands. */
function commonCommands(one: Commands, other: Commands): Commands {
  const within = (narrower: Commands, { presets, allowedPrefixes }: Commands) =>
    narrower.presets.filter(
      (name) =>
        presets.includes(name) || presetBeginnings(name).every((words) => allowingPrefix(words, allowedPrefixes)),
    )
  return {
    presets: [...new Set([...within(other, one), ...within(one, other)])],
    allowedPrefixes: common(one.allowedPrefixes, other.allowedPrefixes, coversPrefix),
  }
}

/** Whether every command that begins with `narrower` also begins with `wider`. */
function coversPrefix(wider: string, narrower: string): boolean {
  const [beginning, words] = [prefixWords(wider), prefixWords(narrower)]
  return beginning !== undefined && words !== undefined && beginsWith(words, beginning)
}

/** A sandbox that is switched off allows everything, so the other one decides. */
function narrowSandbox(one: SandboxAccess, other: SandboxAccess): SandboxAccess {
  const { memoryMiB } = other
  if (!one.enabled) return other
  if (!other.enabled) return { ...one, memoryMiB }
  const within = (key: 'network' | 'readable' | 'writable') => other[key].filter((each) => one[key].includes(each))
  const strictest = (['refuse', 'ask', 'run'] as const).find(
    (each) => one.withoutIt === each || other.withoutIt === each,
  )!
  return {
    enabled: true,
    withoutIt: strictest,
    network: within('network'),
    readable: within('readable'),
    writable: within('writable'),
    memoryMiB,
  }
}
