import { exactLine } from '../../context.ts'
import type { ToolStatus } from '../../runtime.ts'
import { requestJson } from '../answer.ts'
import type { GatewayConnection } from '../../capability.ts'
import { CommandFailure } from '../failure.ts'
import { nearestName } from '../../platform.ts'
import { fittedTable } from '../table.ts'

export async function fetchTools(connection: GatewayConnection): Promise<readonly ToolStatus[]> {
  return (await requestJson<{ readonly tools: readonly ToolStatus[] }>(connection, '/api/tools')).tools
}

/** The tool of that name. Throws with the nearest one where there is none. */
export function findTool(name: string, tools: readonly ToolStatus[]): ToolStatus {
  const found = tools.find((tool) => tool.name === name)
  if (found !== undefined) return found
  const near = nearestName(
    name,
    tools.map((tool) => tool.name),
  )
  throw new CommandFailure('not-found', `there is no tool ${name}.`, {
    hint: near === undefined ? '`foreword tools` lists them.' : `Did you mean ${near}?`,
  })
}

/**
 * One tool a line: whether it may run and what decided, and what its definition costs in every request it is offered in. On a
 * narrow terminal where it comes from and what decided are left out.
 */
export async function toolTable(tools: readonly ToolStatus[], columns: number): Promise<string> {
  const { tokenx, toolTokens } = await import('../../context.ts')
  const rows = tools.map((tool) => [
    exactLine(tool.name),
    exactLine(tool.from),
    toolAccess(tool),
    exactLine(tool.rule),
    String(toolTokens(tokenx, tool)),
  ])
  const withheld = tools.flatMap(({ name, withheld: changed }) =>
    changed === undefined
      ? []
      : [`${exactLine(name)} ${describeChange(changed)}: \`foreword tools accept ${exactLine(name)}\` shows how.`],
  )
  return [
    fittedTable([['tool', 'from', 'access', 'rule', 'tokens'], ...rows], { right: [4], columns, spare: [1, 3] }),
    ...withheld,
  ].join('\n')
}

/** What becomes of a call. */
export function toolAccess({ access, withheld }: ToolStatus): string {
  if (withheld !== undefined) return 'withheld'
  return access === 'ask' ? 'asks' : access
}

export function describeChange({ accepted, offered }: NonNullable<ToolStatus['withheld']>): string {
  if (accepted === undefined) return 'is new since its server was accepted'
  return offered === undefined ? 'is gone since it was accepted' : 'has changed since it was accepted'
}
