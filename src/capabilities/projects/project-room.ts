import { available, type Layer, layoutOf, type TokenCounter, toolTokens } from '../../context.ts'
import type { Model } from '../../model.ts'
import { definitionOf } from '../../tool.ts'
import { budgetFor } from '../../runtime/calls/call-budget.ts'
import { settingContext } from '../../runtime/turns/setting-context.ts'
import type { TurnSetting } from '../../runtime/turns/turn-setting.ts'
import type { Workbench } from '../../runtime/calls/workbench.ts'

/** Share of the window that an ordinary message may take, with what was said before it. */
const MESSAGE_SHARE = 0.25

/**
 * Tokens that the files of a project may take beside tools, system, margin and an ordinary message, so that a project never
 * makes a short message overflow (BEHAVIOURS §3.5). Only in our own layout: the presets keep to their systems.
 * `undefined`: no such limit. Layers that can shrink count in their smallest form.
 */
export async function roomForProject(
  bench: Workbench,
  setting: TurnSetting,
  model: Model,
): Promise<number | undefined> {
  const { settings } = bench
  const { name } = layoutOf(settings.layout)
  if (!setting.fit || !name.startsWith('auto')) return undefined
  const budget = budgetFor(bench, model)
  const tools = model.facts.tools ? (await bench.allowedTools()).map(definitionOf) : []
  const { fit: _, ...withoutFiles } = setting
  const layers = await bench.layers({
    time: ANY_TIME,
    layout: name,
    tools: tools.map((tool) => tool.name),
    callsTools: model.facts.tools,
    model: model.id,
    readsForeign: true,
    ...(await settingContext(withoutFiles, true)),
  })
  let beside = Math.floor(budget.window * MESSAGE_SHARE)
  for (const tool of tools) beside += toolTokens(settings.counter, tool)
  for (const layer of layers) beside += leastTokens(layer, settings.counter)
  return Math.max(0, available(budget) - beside)
}

/** Whether files fit must not depend on the day: the names of the days differ in length. */
const ANY_TIME = '2000-01-01T00:00:00.000Z'

function leastTokens({ renditions, withheld }: Layer, counter: TokenCounter): number {
  if (withheld) return 0
  const filled = renditions.filter(({ text }) => text.trim() !== '')
  const costs = filled.map(({ text, tokens }) => tokens ?? counter.text(text) + counter.perMessage)
  return costs.length === 0 ? 0 : Math.min(...costs)
}
