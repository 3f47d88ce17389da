import type { AssemblyInput } from './assembly-input.ts'
import type { Layer } from './layer.ts'
import { layoutOf, readsOfTool } from './layouts.ts'
import type { Message } from './message.ts'
import type { Scenario } from './scenario-schema.ts'
import { declared, type TokenCounter } from './token-counter.ts'
import type { Turn } from './turn.ts'

/**
 * The input of the assembly that a scenario describes. Throws a `RangeError` that lists the known counters or layouts where it
 * names another one.
 */
export function scenarioInput(scenario: Scenario, counters: readonly TokenCounter[]): AssemblyInput {
  const counter = counters.find((one) => one.id === scenario.counter)
  if (!counter) {
    throw new RangeError(
      `Unknown counter "${scenario.counter}". Choose one of ${counters.map((one) => one.id).join(', ')}.`,
    )
  }
  const own = <T extends { readonly tokens?: number | undefined }>(priced: T) => ownCost(priced, counter)
  const toTurn = ({ id: turnId, messages }: Scenario['current']): Turn => ({
    id: turnId,
    messages: messages.map(({ tokens: cost, ...rest }) => own({ message: rest as Message, tokens: cost })),
  })
  return {
    layout: layoutOf(scenario.layout),
    layers: scenario.layers.map(({ text, tokens: cost, renditions, ...rest }): Layer => ({
      ...rest,
      renditions: (renditions ?? [{ form: 'full', text: text ?? '', tokens: cost }]).map(own),
    })),
    history: scenario.history.map(toTurn),
    current: toTurn(scenario.current),
    attachments: scenario.attachments.map(own),
    tools: scenario.tools.map(({ reads, ...tool }) => own({ ...tool, reads: reads ?? readsOfTool.get(tool.name) })),
    budget: scenario.budget,
    counter,
    ...(scenario.cut ? { cut: scenario.cut } : {}),
    ...(scenario.notes ? { notes: scenario.notes } : {}),
    ...(scenario.earlier ? { earlier: scenario.earlier } : {}),
    ...(scenario.undone ? { undone: scenario.undone } : {}),
    ...(scenario.images ? { images: scenario.images } : {}),
    ...(scenario.model === undefined ? {} : { model: scenario.model }),
  }
}

/** Given numbers belong to `declared`, where what is left out costs nothing. Every other counter counts for itself. */
function ownCost<T extends { readonly tokens?: number | undefined }>(
  { tokens: cost, ...rest }: T,
  counter: TokenCounter,
) {
  return (counter.id === declared.id ? { ...rest, tokens: cost ?? 0 } : rest) as Omit<T, 'tokens'> & { tokens?: number }
}
