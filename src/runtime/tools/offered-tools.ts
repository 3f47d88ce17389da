import type { OfferedWhile, Tool } from '../../tool.ts'

/** Those of the tools that can be of use now. */
export async function offeredTools(tools: readonly Tool[]): Promise<readonly Tool[]> {
  const holds = await conditionsOf(tools)
  return tools.filter(({ offeredWhile }) => !offeredWhile || holds.get(offeredWhile))
}

/** What tools wait for, and whether it is so now. Asked once, however many wait for the same. */
export async function conditionsOf(tools: readonly Tool[]): Promise<ReadonlyMap<OfferedWhile, boolean>> {
  const conditions = [...new Set(tools.flatMap(({ offeredWhile }) => offeredWhile ?? []))]
  return new Map(await Promise.all(conditions.map(async (each) => [each, await each.isSo()] as const)))
}
