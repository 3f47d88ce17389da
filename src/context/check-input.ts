import type { AssemblyInput } from './assembly-input.ts'
import { type Layer, type Placement, placements, priorities, type Priority } from './layer.ts'
import type { AssemblyLayout } from './layout.ts'

/** Throws a `RangeError` that names each field no request can be made of: `budget.window is NaN; it must be …`. */
export function checkInput(input: AssemblyInput): void {
  const problems = [
    ...amountProblems(input),
    ...layoutProblems(
      input.layout,
      input.layers.map(({ layer }) => layer),
    ),
    ...input.layers.flatMap(layerProblems),
    ...twice(input),
  ]
  if (problems.length > 0) throw new RangeError(problems.join('\n'))
}

function amountProblems(input: AssemblyInput): Problems {
  const { budget, layers, tools = [], attachments = [], earlier, undone = [] } = input
  const turns = [
    ...input.history.map((turn, index) => [`history[${index}]`, turn] as const),
    ['current', input.current] as const,
  ]
  return [
    ...(['window', 'reserve', 'margin'] as const).flatMap((name) =>
      notAmount(`budget.${name}`, budget[name], name !== 'margin'),
    ),
    ...layers.flatMap(({ renditions }, index) =>
      renditions.flatMap(({ tokens }, form) => notAmount(`layers[${index}].renditions[${form}].tokens`, tokens)),
    ),
    ...turns.flatMap(([place, { messages }]) =>
      messages.flatMap(({ tokens }, index) => notAmount(`${place}.messages[${index}].tokens`, tokens)),
    ),
    ...attachments.flatMap(({ tokens }, index) => notAmount(`attachments[${index}].tokens`, tokens)),
    ...tools.flatMap(({ tokens }, index) => notAmount(`tools[${index}].tokens`, tokens)),
    ...undone.flatMap(({ tokens }, index) => notAmount(`undone[${index}].tokens`, tokens, true)),
    ...(earlier
      ? (['turns', 'tokens'] as const).flatMap((name) => notAmount(`earlier.${name}`, earlier[name], true))
      : []),
  ]
}

function layerProblems({ id, placement, priority }: Layer, index: number): Problems {
  return [
    ...(placement === undefined
      ? []
      : choiceProblems<Placement>(`layers[${index}].placement of "${id}"`, placement, placements)),
    ...(priority === undefined
      ? []
      : choiceProblems<Priority>(`layers[${index}].priority of "${id}"`, priority, priorities)),
  ]
}

function twice({ layers, attachments = [], history, current, tools = [] }: AssemblyInput): Problems {
  const named = (place: string, all: readonly { readonly id: string }[]) =>
    all.map(({ id }, index) => [`${place}[${index}].id`, id] as const)
  return [
    ...repeated([...named('layers', layers), ...named('attachments', attachments)]),
    ...repeated([...named('history', history), ['current.id', current.id]]),
    ...repeated(tools.map(({ name }, index) => [`tools[${index}].name`, name])),
  ]
}

function repeated(named: readonly (readonly [field: string, id: string])[]): Problems {
  const first = new Map<string, string>()
  return named.flatMap(([field, id]) => {
    const before = first.get(id)
    if (before !== undefined) return [`${field} is "${id}", as ${before} is; each must be unique.`]
    first.set(id, field)
    return []
  })
}

/** Sentences, each of which names a field. */
type Problems = readonly string[]

/** What is wrong with a layout, by field. `layers`: names that layers of the input bring. */
export function layoutProblems(layout: AssemblyLayout, layers: readonly string[]): Problems {
  const known = new Set([...Object.keys(layout.placements), ...layers])
  return [
    ...notShare('layout.headShare', layout.headShare),
    ...notShare('layout.cut.lowWater', layout.cut.lowWater),
    ...choiceProblems('layout.cut.unit', layout.cut.unit, ['turn', 'message']),
    ...Object.entries(layout.placements).flatMap(([name, place]) => placeProblems(`layout.placements.${name}`, place)),
    ...Object.entries(layout.priorities).flatMap(([name, priority]) => [
      ...choiceProblems(`layout.priorities.${name}`, priority, priorities),
      ...(known.has(name) ? [] : [`layout.priorities.${name}: ${unknownName(name, layout)}`]),
    ]),
  ]
}

function unknownName(name: string, { placements: places }: AssemblyLayout): string {
  return `no layer is named "${name}". The layout knows ${Object.keys(places).join(', ')}; a layer of your own needs a place in layout.placements too.`
}

function placeProblems(field: string, place: AssemblyLayout['placements'][string]): Problems {
  if (typeof place !== 'object') return choiceProblems(field, place, placements)
  if ('between' in place) {
    const { between, starts } = place
    const ends = Array.isArray(between) && between.length === 2 ? between : []
    return [
      ...(ends.length === 2 ? [] : [`${field}.between must have two places.`]),
      ...ends.flatMap((end, index) => choiceProblems(`${field}.between[${index}]`, end, placements)),
      ...(starts === undefined ? [] : placeProblems(`${field}.starts`, starts)),
    ]
  }
  return [
    ...notAmount(`${field}.from`, place.from, true),
    ...choiceProblems(`${field}.large`, place.large, placements),
    ...choiceProblems(`${field}.small`, place.small, placements),
  ]
}

function notAmount(field: string, value: number | undefined, isNeeded = false): Problems {
  if (value === undefined && !isNeeded) return []
  if (Number.isFinite(value) && value! >= 0) return []
  return [`${field} is ${String(value)}; it must be a number, 0 or more.`]
}

function choiceProblems<Value extends string>(field: string, value: Value, known: readonly Value[]): Problems {
  return known.includes(value) ? [] : [`${field} is ${JSON.stringify(value)}; choose one of ${known.join(', ')}.`]
}

function notShare(field: string, value: number): Problems {
  return value >= 0 && value <= 1 ? [] : [`${field} is ${String(value)}; it must be a share from 0 to 1.`]
}
