import type { GatewayConnection, Finding, Io } from '../../capability.ts'
import { errorMessage } from '../../platform.ts'
import type { RuntimeStatus, ToolStatus } from '../../runtime.ts'
import type { Access } from '../../tool.ts'
import { requestJson } from '../answer.ts'
import { toolAccess, fetchTools } from '../tools/tool-table.ts'
import { ok, problem, warning } from './finding.ts'

/** What may run, and whether that can be read at all: a faulty policy allows nothing. */
export async function checkPolicy(home: string, io: Io): Promise<readonly Finding[]> {
  const { accessFile, accessPaths, readText } = await import('../../tool.ts')
  const { accessFilePath } = await import('../../runtime.ts')
  const file = await accessFilePath(home)
  const read = await accessFile(accessPaths(home), io.environment, readText).current()
  if (read.type === 'access') {
    return [ok('policy', policyText(read.access)), ...(await checkPlaces(home))]
  }
  const hint = `Correct ${file}, or the environment variable that is named.`
  return read.problems.map((fault) => problem('policy', `no tool may run: ${fault}`, hint))
}

/** Whoever edits the file that does not count waits in vain. */
async function checkPlaces(home: string): Promise<readonly Finding[]> {
  const { accessPaths, readText } = await import('../../tool.ts')
  const [own, inContext] = accessPaths(home)
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

/**
 * How many tools a model may call, those whose definition has changed, and what else a gateway warns of. Asks the running
 * one where there is one: it alone knows which servers answer. What was `told` already is left out.
 */
export async function checkTools(
  opened: GatewayConnection | Error,
  told: readonly Finding[],
): Promise<readonly Finding[]> {
  try {
    if (opened instanceof Error) throw opened
    const tools = await fetchTools(opened)
    const { warnings } = await requestJson<Pick<RuntimeStatus, 'warnings'>>(opened, '/api/status')
    return [...toolFindings(tools), ...gatewayFindings(warnings, told)]
  } catch (error) {
    const message = errorMessage(error)
    return [problem('tools', `they cannot be listed: ${message}`, 'Mend what is named there, then look again.')]
  }
}

function toolFindings(tools: readonly ToolStatus[]): readonly Finding[] {
  const count = (word: string) => tools.filter((tool) => toolAccess(tool) === word).length
  const withheld = tools.filter((tool) => tool.withheld !== undefined)
  return [
    ok('tools', `${count('allowed')} allowed, ${count('asks')} with your approval, ${count('refused')} refused`),
    ...withheld.map(({ name }) =>
      warning(
        'tools',
        `${name} is not offered: its definition is not the one that was accepted`,
        `\`foreword tools accept ${name}\` shows the difference.`,
      ),
    ),
  ]
}

/** What another check says already, of the configuration, the policy or a capability, is not said twice. */
function gatewayFindings(warnings: readonly string[], told: readonly Finding[]): readonly Finding[] {
  const isTold = (text: string) =>
    told.some(({ check, message }) => text.startsWith(message) || text.startsWith(`${check}: ${message}`))
  return warnings
    .filter((text) => !text.startsWith('tool-access.json: ') && !isTold(text))
    .map((text) =>
      warning(
        'gateway',
        text,
        'Mend what is named there. `foreword reload` reads most of it again, a new start all of it.',
      ),
    )
}
