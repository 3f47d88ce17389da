import { existsSync } from 'node:fs'
import type { ToolStatus } from '../../runtime.ts'
import { connected } from '../connection.ts'
import type { Io } from '../io.ts'
import { accessWord, fetchTools } from '../tools/tool-table.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** How many tools a model may call, and those whose definition has changed. Asks the running gateway where there is one. */
export async function checkTools(home: string, store: string, io: Io): Promise<readonly Finding[]> {
  if (io.connect === undefined && !existsSync(store)) return []
  try {
    return toolFindings(await connected(home, io, 'read', fetchTools))
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

/** Servers of others as the configuration names them; only a running gateway contacts them. */
export function checkServers(names: readonly string[]): readonly Finding[] {
  return names.length === 0 ? [] : [ok('mcp', `${names.length === 1 ? 'server' : 'servers'} ${names.join(', ')}`)]
}
