import type { Access } from '../../tool.ts'
import type { Io } from '../io.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** What may run, and whether that can be read at all: a faulty policy allows nothing. */
export async function checkPolicy(home: string, io: Io): Promise<readonly Finding[]> {
  const { accessFile, accessPlaces, readText } = await import('../../tool.ts')
  const { accessPlace } = await import('../../runtime.ts')
  const file = await accessPlace(home)
  const read = await accessFile(accessPlaces(home), io.environment, readText).current()
  if (read.type === 'access') {
    return [
      ok('policy', policyText(read.access)),
      ...(await checkPlaces(home)),
      checkShell(read.access, file),
      ...(await checkPrefixes(read.access, file)),
    ]
  }
  const hint = `Correct ${file}, or the environment variable that is named.`
  return read.problems.map((fault) => problem('policy', `no tool may run: ${fault}`, hint))
}

/** Whoever edits the file that does not count waits in vain. */
async function checkPlaces(home: string): Promise<readonly Finding[]> {
  const { accessPlaces, readText } = await import('../../tool.ts')
  const [own, inContext] = accessPlaces(home)
  const [first, second] = await Promise.all([readText(own), readText(inContext)])
  if (first.type === 'missing' || second.type === 'missing') return []
  return [warning('policy', `${inContext} does not count: ${own} does`, 'Keep one of the two.')]
}

function policyText({ global }: Access): string {
  if (!global.enabled) return 'all tools are switched off (global.enabled)'
  if (global.mode === 'off') return 'all tools are switched off (global.mode)'
  if (global.mode === 'full') return 'every tool may run that is not disabled (global.mode)'
  const { length } = global.allowedTools
  return `${length === 0 ? 'nothing' : length === 1 ? 'one name' : `${length} names`} on the allowlist`
}

function checkShell({ shell }: Access, file: string): Finding {
  if (!shell.enabled || shell.mode === 'off') return ok('shell', 'off')
  const where = shell.allowAnyCwd ? ', in any folder' : ''
  const asked = shell.approval === 'ask' ? ', each with your approval' : ''
  if (shell.mode === 'full') {
    return warning(
      'shell',
      `full: a model may run any command that you may${where}${asked}`,
      `Set tools.shell.mode to "allowlist" in ${file}, or unset SHELL_TOOL_MODE.`,
    )
  }
  const { length } = shell.allowedPrefixes
  const commands = length === 0 ? 'no command' : length === 1 ? 'one prefix' : `${length} prefixes`
  const message = `allowlist: ${commands}${where}${asked}`
  if (!shell.allowAnyCwd) return ok('shell', message)
  return warning('shell', message, `Without tools.shell.allowAnyCwd in ${file} it keeps to the workspace.`)
}

/** Prefixes that allow more than they seem to. Where a person sees every command, that person decides. */
async function checkPrefixes({ shell }: Access, file: string): Promise<readonly Finding[]> {
  if (!shell.enabled || shell.mode !== 'allowlist' || shell.approval === 'ask') return []
  const { prefixRisk } = await import('../../capability.ts')
  return shell.allowedPrefixes.flatMap((prefix) => {
    const risk = prefixRisk(prefix)
    if (risk === undefined) return []
    return [
      warning(
        'shell',
        `the prefix ${JSON.stringify(prefix)} lets a model do more than it says: ${risk}`,
        `Take it out of tools.shell.allowedPrefixes in ${file} (or SHELL_TOOL_ALLOWED_PREFIXES), or set tools.shell.approval to "ask".`,
      ),
    ]
  })
}
