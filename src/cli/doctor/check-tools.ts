import type { RuntimeStatus, ToolStatus } from '../../runtime.ts'
import { errorMessage } from '../../platform.ts'
import { ask } from '../answer.ts'
import type { Connection, Finding } from '../../capability.ts'
import { accessWord, fetchTools } from '../tools/tool-table.ts'
import { ok, problem, warning } from './finding.ts'

/**
 * How many tools a model may call, those whose definition has changed, and what else a gateway warns of. Asks the running
 * one where there is one: it alone knows which servers answer. What was `told` already is left out.
 */
export async function checkTools(opened: Connection | Error, told: readonly Finding[]): Promise<readonly Finding[]> {
  try {
    if (opened instanceof Error) throw opened
    const tools = await fetchTools(opened)
    const { warnings } = await ask<Pick<RuntimeStatus, 'warnings'>>(opened, '/api/status')
    return [...toolFindings(tools), ...gatewayFindings(warnings, told)]
  } catch (error) {
    const message = errorMessage(error)
    return [problem('tools', `they cannot be listed: ${message}`, 'Mend what is named there, then look again.')]
  }
}

function toolFindings(tools: readonly ToolStatus[]): readonly Finding[] {
  const count = (word: string) => tools.filter((tool) => accessWord(tool) === word).length
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
