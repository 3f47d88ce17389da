import { placements, priorities } from './layer.ts'
import type { Layout } from './layout.ts'

/** Sentences, each of which names a field. */
export type Problems = readonly string[]

/** What is wrong with a layout, by field. `layers`: names that layers of the input bring. */
export function layoutProblems(layout: Layout, layers: readonly string[]): Problems {
  const known = new Set([...Object.keys(layout.placements), ...layers])
  return [
    ...notShare('layout.headShare', layout.headShare),
    ...notShare('layout.cut.lowWater', layout.cut.lowWater),
    ...notOneOf('layout.cut.unit', layout.cut.unit, ['turn', 'message']),
    ...Object.entries(layout.placements).flatMap(([name, place]) => placeProblems(`layout.placements.${name}`, place)),
    ...Object.entries(layout.priorities).flatMap(([name, priority]) => [
      ...notOneOf(`layout.priorities.${name}`, priority, priorities),
      ...(known.has(name) ? [] : [`layout.priorities.${name}: ${unknownName(name, layout)}`]),
    ]),
  ]
}

function unknownName(name: string, { placements: places }: Layout): string {
  return `no layer is named "${name}". The layout knows ${Object.keys(places).join(', ')}; a layer of your own needs a place in layout.placements too.`
}

function placeProblems(field: string, place: Layout['placements'][string]): Problems {
  if (typeof place !== 'object') return notOneOf(field, place, placements)
  return [
    ...notAmount(`${field}.from`, place.from, true),
    ...notOneOf(`${field}.large`, place.large, placements),
    ...notOneOf(`${field}.small`, place.small, placements),
  ]
}

export function notAmount(field: string, value: number | undefined, isNeeded = false): Problems {
  if (value === undefined && !isNeeded) return []
  if (Number.isFinite(value) && value! >= 0) return []
  return [`${field} is ${String(value)}; it must be a number, 0 or more.`]
}

export function notOneOf<Value extends string>(field: string, value: Value, known: readonly Value[]): Problems {
  return known.includes(value) ? [] : [`${field} is ${JSON.stringify(value)}; choose one of ${known.join(', ')}.`]
}

function notShare(field: string, value: number): Problems {
  return value >= 0 && value <= 1 ? [] : [`${field} is ${String(value)}; it must be a share from 0 to 1.`]
}
