import type { RuntimeStatus, ToolStatus } from '../../runtime.ts'
import { ask } from '../answer.ts'
import { connected } from '../connection.ts'
import type { Finding, Io } from '../../capability.ts'
import { accessWord, fetchTools } from '../tools/tool-table.ts'
import { ok, problem, warning } from './finding.ts'

/**
 * How many tools a model may call, those whose definition has changed, and what else a gateway warns of. Asks the running
 * one where there is one: it alone knows which servers answer. What was `told` already is left out.
 */
export async function checkTools(home: string, io: Io, told: readonly Finding[]): Promise<readonly Finding[]> {
  try {
    return await connected(home, io, 'read', async (connection) => {
      const tools = await fetchTools(connection)
      const { warnings } = await ask<Pick<RuntimeStatus, 'warnings'>>(connection, '/api/status')
      return [...toolFindings(tools), ...gatewayFindings(warnings, told)]
    })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
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

/** What other checks say of skills, of the policy and of the configuration is not said twice. */
function gatewayFindings(warnings: readonly string[], told: readonly Finding[]): readonly Finding[] {
  return warnings
    .filter((text) => !text.startsWith('skills: ') && !text.startsWith('tool-access.json: '))
    .filter((text) => !told.some(({ message }) => text.startsWith(message)))
    .map((text) =>
      warning(
        'gateway',
        text,
        'Mend what is named there. `foreword reload` reads most of it again, a new start all of it.',
      ),
    )
}

/** Servers of others as the configuration names them; only a running gateway contacts them. */
export function checkServers(names: readonly string[]): readonly Finding[] {
  return names.length === 0 ? [] : [ok('mcp', `${names.length === 1 ? 'server' : 'servers'} ${names.join(', ')}`)]
}
