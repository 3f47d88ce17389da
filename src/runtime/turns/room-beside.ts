import type { TurnPart } from '../../capability.ts'
import { available, type Layer, layoutOf, type TokenCounter, toolTokens } from '../../context.ts'
import type { Model } from '../../model.ts'
import { definitionOf } from '../../tool.ts'
import { type AssemblyContext, layersFor, type PreparedParts } from '../calls/assembly-context.ts'
import { budgetFor } from '../calls/call-budget.ts'

/** Share of the window that an ordinary message may take, with what was said before it. */
const MESSAGE_SHARE = 0.25

/**
 * Tokens that a part of a turn may take beside tools, system, the layers of all others, the margin and an ordinary message, so that what takes
 * its size from the room never makes a short message overflow (BEHAVIOURS §3.5). Layers that can shrink count in their
 * smallest form.
 */
export async function roomBeside(
  context: AssemblyContext & { readonly turn: PreparedParts },
  part: TurnPart,
  model: Model,
): Promise<number> {
  const { settings, turn } = context
  const budget = budgetFor(context, model)
  const tools = model.facts.tools ? (await context.allowedTools()).map(definitionOf) : []
  const others = new Map([...turn.parts].filter(([, each]) => each !== part))
  const layers = await layersFor(
    { ...context, turn: { ...turn, parts: others } },
    {
      time: ANY_TIME,
      layout: layoutOf(settings.layout),
      tools: tools.map((tool) => tool.name),
      callsTools: model.facts.tools,
      model: model.id,
      session: ANY,
      turn: ANY,
      readsForeign: true,
      cites: true,
    },
  )
  let beside = Math.floor(budget.window * MESSAGE_SHARE)
  for (const tool of tools) beside += toolTokens(settings.counter, tool)
  for (const layer of layers) beside += leastTokens(layer, settings.counter)
  return Math.max(0, available(budget) - beside)
}

/** Whether something fits must not depend on the day: the names of the days differ in length. Nor on the session. */
const ANY_TIME = '2000-01-01T00:00:00.000Z'
const ANY = 'any'

function leastTokens({ renditions, withheld }: Layer, counter: TokenCounter): number {
  if (withheld) return 0
  const filled = renditions.filter(({ text }) => text.trim() !== '')
  const costs = filled.map(({ text, tokens }) => tokens ?? counter.text(text) + counter.perMessage)
  return costs.length === 0 ? 0 : Math.min(...costs)
}
