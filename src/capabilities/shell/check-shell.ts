import { phrase } from '../../context.ts'
import type { CheckContext, Finding } from '../../capability.ts'
import { ok, warning } from '../../cli.ts'
import { accessFilePath } from '../../runtime.ts'
import {
  type Access,
  accessFile,
  accessPaths,
  commandPresets,
  prefixRisk,
  prefixWords,
  presetsInstead,
  readText,
  shellGap,
} from '../../tool.ts'

export async function checkShell({ home, environment }: CheckContext<unknown>): Promise<readonly Finding[]> {
  const read = await accessFile(accessPaths(home), environment, readText).current()
  if (read.type !== 'access') return []
  const file = await accessFilePath(home)
  return [checkMode(read.access, file), ...checkPrefixes(read.access, file)]
}

function checkMode(access: Access, file: string): Finding {
  const { shell } = access
  if (!shell.enabled || shell.mode === 'off') return ok('shell', 'off')
  const gap = shellGap(access)
  if (gap) return warning('shell', gap.message, gap.hint)
  const where = shell.allowAnyCwd ? `, ${phrase`in any folder`}` : ''
  const asked = shell.approval === 'ask' ? `, ${phrase`each with your approval`}` : ''
  if (shell.mode === 'full') {
    return warning(
      'shell',
      `${phrase`full: a model may run any command that you can run`}${where}${asked}`,
      phrase`Set tools.shell.mode to "allowlist" in ${file}, or unset SHELL_TOOL_MODE.`,
    )
  }
  const message = `${phrase`allowlist: ${allowedCommands(shell)}`}${where}${asked}`
  if (!shell.allowAnyCwd) return ok('shell', message)
  return warning(
    'shell',
    message,
    phrase`Remove tools.shell.allowAnyCwd from ${file} to keep commands in the workspace.`,
  )
}

function allowedCommands({ presets, allowedPrefixes: { length } }: Access['shell']): string {
  const prefixes = `${length === 1 ? phrase`one prefix` : phrase`${length} prefixes`} (${phrase`any argument may follow`})`
  const running = commandPresets.flatMap(({ name, runsCode }) => (runsCode ? [name] : []))
  const names = presets.map((name) => (running.includes(name) ? `${name} (${phrase`runs code of the project`})` : name))
  const named = [
    ...(names.length === 0
      ? []
      : [names.length === 1 ? phrase`the preset ${names[0]!}` : phrase`the presets ${names.join(', ')}`]),
    ...(length === 0 ? [] : [prefixes]),
  ]
  return named.join(' and ')
}

/** Prefixes that allow more than they seem to. Where a person approves every command, there is nothing to warn of. */
function checkPrefixes({ shell }: Access, file: string): readonly Finding[] {
  if (!shell.enabled || shell.mode !== 'allowlist' || shell.approval === 'ask') return []
  return shell.allowedPrefixes.flatMap((prefix) => {
    const risk = prefixRisk(prefix)
    if (risk === undefined) return []
    return [
      warning(
        'shell',
        phrase`the prefix ${JSON.stringify(prefix)} allows more than it seems to: ${risk}`,
        `${insteadText(prefix)}${phrase`Remove it from tools.shell.allowedPrefixes in ${file} (or SHELL_TOOL_ALLOWED_PREFIXES), or set tools.shell.approval to "ask".`}`,
      ),
    ]
  })
}

function insteadText(prefix: string): string {
  const names = presetsInstead(prefixWords(prefix) ?? [])
  return names.length === 0
    ? ''
    : `${phrase`A preset knows its arguments (tools.shell.presets): ${names.join(', ')}.`} `
}
