import { requestList } from '../answer.ts'
import { exactLine, numberText } from '../../context.ts'
import type { ToolStatus } from '../../runtime.ts'
import type { GatewayConnection } from '../../capability.ts'
import { CommandFailure } from '../failure.ts'
import { nearestHint } from '../../platform.ts'
import { fittedTable } from '../table.ts'

export async function fetchTools(connection: GatewayConnection): Promise<readonly ToolStatus[]> {
  return await requestList<ToolStatus>(connection, '/api/tools', 'tools')
}

/** The tool of a name. Throws where there is none; the hint names the nearest one. */
export function findTool(name: string, tools: readonly ToolStatus[]): ToolStatus {
  const found = tools.find((tool) => tool.name === name)
  if (found !== undefined) return found
  const names = tools.map((tool) => tool.name)
  const hint = nearestHint(name, names, 'List the tools with `foreword tools`.')
  throw new CommandFailure('not-found', `Unknown tool "${name}".`, { hint })
}

/** One tool per line: source, access, rule, and the tokens of its definition as `sized` has them. A narrow terminal leaves out source and rule. */
export async function toolTable(
  tools: readonly ToolStatus[],
  sized: (counted: number) => number,
  columns: number,
): Promise<string> {
  const { tokenx, toolTokens } = await import('../../context.ts')
  const rows = tools.map((tool) => [
    exactLine(tool.name),
    exactLine(tool.from),
    toolAccess(tool),
    exactLine(tool.rule),
    numberText(sized(toolTokens(tokenx, tool))),
  ])
  const withheld = tools.flatMap(({ name, withheld: changed }) =>
    changed === undefined
      ? []
      : [`${exactLine(name)} ${describeChange(changed)}. Show how with \`foreword tools accept ${exactLine(name)}\`.`],
  )
  return [
    fittedTable([['tool', 'from', 'access', 'rule', 'tokens'], ...rows], { right: [4], columns, spare: [1, 3] }),
    ...withheld,
  ].join('\n')
}

/** The access of a tool: `allowed`, `asks`, `refused`, or `withheld` while its changed definition is not accepted. */
export function toolAccess({ access, withheld }: ToolStatus): string {
  if (withheld !== undefined) return 'withheld'
  return access === 'ask' ? 'asks' : access
}

/** The change that withholds a tool, as the rest of a sentence about it. */
export function describeChange({ accepted, offered }: NonNullable<ToolStatus['withheld']>): string {
  if (accepted === undefined) return 'is new since its server was accepted'
  return offered === undefined ? 'is no longer provided' : 'has changed since it was accepted'
}
