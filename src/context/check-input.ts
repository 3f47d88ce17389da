import type { AssemblyInput } from './assembly-input.ts'
import { type Layer, type Placement, placements, priorities, type Priority } from './layer.ts'
import { layoutProblems, notAmount, notOneOf, type Problems } from './layout-problems.ts'

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
  const field = (name: string) => `layers[${index}].${name} of "${id}"`
  return [
    ...(placement === undefined ? [] : notOneOf<Placement>(field('placement'), placement, placements)),
    ...(priority === undefined ? [] : notOneOf<Priority>(field('priority'), priority, priorities)),
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
