import type { AssemblyInput } from './assembly-input.ts'
import type { Layer } from './layer.ts'
import { layoutOf, readsOfTool, type Layout, type LayoutChanges, type LayoutChoice, layouts } from './layouts.ts'
import type { Message } from './message.ts'
import type { Scenario } from './scenario-schema.ts'
import { declared, type TokenCounter } from './token-counter.ts'
import type { Turn } from './turn.ts'
import type { Cut } from './cut.ts'
import { startOf } from './layout.ts'

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

/**
 * An input of the assembly as a scenario, so that it can be kept, changed and assembled anywhere (docs/guide/scenarios.md).
 * `choice` is the layout of the input as it was chosen. Throws a `RangeError` where the layout of the input cannot be said
 * as changes to a known one.
 */
export function toScenario(name: string, input: AssemblyInput, choice: LayoutChoice): Scenario {
  const { layers, history, current, attachments = [], tools = [], budget, counter } = input
  const { cut, notes, earlier, undone, images, model } = input
  return {
    name,
    layout: scenarioLayout(choice, input),
    budget: { window: budget.window, reserve: budget.reserve, margin: budget.margin ?? 0 },
    counter: counter.id,
    layers: layers.map((layer) => ({ ...layer, renditions: [...layer.renditions] })),
    history: history.map(plainTurn),
    current: plainTurn(current),
    attachments: [...attachments],
    tools: tools.map((tool) => ({ ...tool })),
    ...(cut ? { cut: plainCut(cut) } : {}),
    ...(notes ? { notes: { ...notes, written: notes.written.map((note) => ({ ...note })) } } : {}),
    ...(earlier ? { earlier } : {}),
    ...(undone ? { undone: [...undone] } : {}),
    ...(images ? { images: { ...images, gone: [...(images.gone ?? [])] } } : {}),
    ...(model === undefined ? {} : { model }),
  }
}

function plainCut({ first, notes, ...marks }: Cut): NonNullable<Scenario['cut']> {
  return {
    ...marks,
    ...(first ? { first: [...first] } : {}),
    ...(notes ? { notes: notes.map((note) => ({ ...note })) } : {}),
  }
}

function plainTurn({ id, messages }: Turn): Scenario['current'] {
  return {
    id,
    messages: messages.map(({ message, tokens }) => ({
      ...(message as Scenario['current']['messages'][number]),
      ...(tokens === undefined ? {} : { tokens }),
    })),
  }
}

function scenarioLayout(choice: LayoutChoice, { layout: used }: AssemblyInput): Scenario['layout'] {
  const said = layoutChanges(choice)
  const meant = layoutOf(said)
  const gap = (['shrinks', 'fileFrame', 'ownSpacing', 'headShare', 'cut'] as const).find(
    (key) => JSON.stringify(meant[key]) !== JSON.stringify(used[key]),
  )
  if (gap === undefined) return said
  throw new RangeError(`The layout "${used.name}" is not a known one with changes: it differs in ${gap}.`)
}

/** A whole layout as changes to the known one that treats texts as it does. */
function layoutChanges(choice: LayoutChoice): string | LayoutChanges {
  if (typeof choice === 'string' || 'extends' in choice) return choice
  const { name, cut, headShare, priorities } = choice
  if (Object.hasOwn(layouts, name) && JSON.stringify(layouts[name]) === JSON.stringify(choice)) return name
  const base = Object.values(layouts).find((known) => treatsAlike(known, choice)) ?? layouts['auto']!
  return {
    extends: base.name,
    cut,
    headShare,
    priorities,
    placements: Object.fromEntries(
      Object.entries(choice.placements).flatMap(([layer, place]) => {
        const start = startOf(place)
        return typeof start === 'string' ? [[layer, start]] : []
      }),
    ),
  }
}

function treatsAlike(known: Layout, layout: Layout): boolean {
  const treats = ({ shrinks, fileFrame, ownSpacing }: Layout) => JSON.stringify([shrinks, fileFrame, ownSpacing])
  return treats(known) === treats(layout)
}
