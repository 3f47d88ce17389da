import type { HouseGraph, Room } from './house-graph.ts'

/** What stands on a floor: a room, or the place where imports of a lower room pass through. */
export interface Stop {
  /** The room, or the room that the passing imports lead to. */
  readonly room: string
  readonly features: readonly (readonly string[])[]
  readonly passes: boolean
  /** Middle, in units of the picture. */
  x: number
  readonly width: number
}

/** A piece of an arrow between one floor and the next below. Imports of one room run together on their way down. */
export interface Strand {
  readonly from: Stop
  readonly to: Stop
  /** The weights of all imports in it. */
  weight: number
}

export interface HouseLayout {
  readonly width: number
  /** From the ground up. */
  readonly floors: readonly (readonly Stop[])[]
  readonly strands: readonly Strand[]
}

const letter = 9
const gap = 18

export function houseLayout(graph: HouseGraph, width: number): HouseLayout {
  const floors = graph.floors.map((rooms) => rooms.map((room) => stopOf(room, width)))
  const level = new Map(graph.floors.flatMap((rooms, at) => rooms.map(({ name }) => [name, at] as const)))
  const strands: Strand[] = []
  for (const { from, to, weight } of graph.imports) {
    const [top, bottom] = [level.get(from), level.get(to)]
    // The tests of the house allow no import upwards; there is no way to draw one.
    if (top === undefined || bottom === undefined || top <= bottom) continue
    let above = floors[top]!.find((stop) => stop.room === from && !stop.passes)!
    for (let at = top - 1; at >= bottom; at--) {
      const below = stopAt(floors[at]!, to, at > bottom)
      const strand = strands.find((one) => one.from === above && one.to === below)
      if (strand === undefined) strands.push({ from: above, to: below, weight })
      else strand.weight += weight
      above = below
    }
  }
  arrange(floors, strands, width)
  return { width, floors, strands }
}

function stopOf({ name, features }: Room, width: number): Stop {
  const rows = inRows(features, width * 0.7)
  const widest = Math.max(...rows.map(rowWidth), 0)
  return {
    room: name,
    features: rows,
    passes: false,
    x: 0,
    width: Math.max(name.length * letter + 32, 84, widest + 24),
  }
}

function stopAt(floor: Stop[], room: string, passes: boolean): Stop {
  const there = floor.find((stop) => stop.room === room && stop.passes === passes)
  if (there !== undefined) return there
  const made = { room, features: [], passes, x: 0, width: 4 }
  floor.push(made)
  return made
}

export function chipWidth(name: string): number {
  return name.length * 7.2 + 20
}

export function rowWidth(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + chipWidth(name) + 8, -8)
}

function inRows(names: readonly string[], width: number): readonly (readonly string[])[] {
  const rows: string[][] = []
  let used = width
  for (const name of names) {
    if (used + chipWidth(name) > width) {
      rows.push([])
      used = 0
    }
    rows.at(-1)!.push(name)
    used += chipWidth(name) + 8
  }
  return rows
}

/** Orders every floor so that few strands cross, then moves each stop towards those that it is tied to. */
function arrange(floors: Stop[][], strands: readonly Strand[], width: number): void {
  for (const floor of floors) spread(floor, width)
  for (let round = 0; round < 24; round++) {
    const upwards = round % 2 === 0
    for (const floor of upwards ? floors : floors.toReversed()) {
      const wanted = new Map(floor.map((stop) => [stop, middle(stop, strands, upwards)]))
      floor.sort((one, other) => wanted.get(one)! - wanted.get(other)!)
      spread(floor, width)
    }
  }
  for (let round = 0; round < 60; round++) {
    for (const floor of floors) {
      const wanted = floor.map((stop) => (middle(stop, strands, true) + middle(stop, strands, false)) / 2)
      settle(floor, wanted, width)
    }
  }
  const stops = floors.flat()
  const left = Math.min(...stops.map((stop) => stop.x - stop.width / 2))
  const right = Math.max(...stops.map((stop) => stop.x + stop.width / 2))
  for (const stop of stops) stop.x += (width - left - right) / 2
}

function middle(stop: Stop, strands: readonly Strand[], below: boolean): number {
  const ends = strands
    .filter((strand) => (below ? strand.from : strand.to) === stop)
    .map((strand) => (below ? strand.to : strand.from).x)
  return ends.length === 0 ? stop.x : ends.reduce((sum, x) => sum + x, 0) / ends.length
}

function spread(floor: readonly Stop[], width: number): void {
  const taken = floor.reduce((sum, stop) => sum + stop.width, 0)
  const between = (width - taken) / (floor.length + 1)
  let at = between
  for (const stop of floor) {
    stop.x = at + stop.width / 2
    at += stop.width + between
  }
}

/** As near to what is wanted as the order, the gaps and the edges allow. */
function settle(floor: readonly Stop[], wanted: readonly number[], width: number): void {
  const forward: number[] = []
  const backward: number[] = []
  let edge = gap
  for (const [at, stop] of floor.entries()) {
    forward[at] = Math.max(wanted[at]!, edge + stop.width / 2)
    edge = forward[at] + stop.width / 2 + gap
  }
  edge = width - gap
  for (const [at, stop] of [...floor.entries()].toReversed()) {
    backward[at] = Math.min(wanted[at]!, edge - stop.width / 2)
    edge = backward[at] - stop.width / 2 - gap
  }
  let left = gap
  for (const [at, stop] of floor.entries()) {
    const room = floor.slice(at).reduce((sum, one) => sum + one.width + gap, 0)
    const x = (forward[at]! + backward[at]!) / 2
    stop.x = Math.max(left + stop.width / 2, Math.min(x, width - room + stop.width / 2))
    left = stop.x + stop.width / 2 + gap
  }
}
