import type { CheckContext, Finding } from '../../capability.ts'
import { ok, warning } from '../../cli.ts'
import { accessFilePath } from '../../runtime.ts'
import { type Access, accessFile, accessPaths, prefixRisk, readText } from '../../tool.ts'

/** Which programs may run. The check of the policy reports a policy that cannot be read. */
export async function checkShell({ home, environment }: CheckContext<unknown>): Promise<readonly Finding[]> {
  const read = await accessFile(accessPaths(home), environment, readText).current()
  if (read.type !== 'access') return []
  const file = await accessFilePath(home)
  return [checkMode(read.access, file), ...checkPrefixes(read.access, file)]
}

function checkMode({ shell }: Access, file: string): Finding {
  if (!shell.enabled || shell.mode === 'off') return ok('shell', 'off')
  const where = shell.allowAnyCwd ? ', in any folder' : ''
  const asked = shell.approval === 'ask' ? ', each with your approval' : ''
  if (shell.mode === 'full') {
    return warning(
      'shell',
      `full: a model may run any command that you can run${where}${asked}`,
      `Set tools.shell.mode to "allowlist" in ${file}, or unset SHELL_TOOL_MODE.`,
    )
  }
  const { length } = shell.allowedPrefixes
  const commands = length === 0 ? 'no command' : length === 1 ? 'one prefix' : `${length} prefixes`
  const message = `allowlist: ${commands}${where}${asked}`
  if (!shell.allowAnyCwd) return ok('shell', message)
  return warning('shell', message, `Remove tools.shell.allowAnyCwd from ${file} to keep commands in the workspace.`)
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
        `the prefix ${JSON.stringify(prefix)} allows more than it seems to: ${risk}`,
        `Remove it from tools.shell.allowedPrefixes in ${file} (or SHELL_TOOL_ALLOWED_PREFIXES), or set tools.shell.approval to "ask".`,
      ),
    ]
  })
}
