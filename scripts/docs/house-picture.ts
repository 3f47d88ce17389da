import type { HouseGraph } from './house-graph.ts'
import { chipWidth, houseLayout, rowWidth, type Stop, type Strand } from './house-layout.ts'

const width = 820
const roomHeight = 40
const chipHeight = 26
const between = 62
const margin = 28

/** The house as an SVG that follows the reader's light or dark scheme. */
export function housePicture(graph: HouseGraph): string {
  const { floors, strands } = houseLayout(graph, width)
  const tops = topsOf(floors)
  const colours = new Map(graph.floors.flat().map(({ name }, index) => [name, index]))
  const floorOf = new Map(floors.flatMap((stops, floor) => stops.map((stop) => [stop, floor] as const)))
  const height = tops[0]! + floorHeight(floors[0]!) + margin
  const box = (stop: Stop) => {
    const floor = floorOf.get(stop)!
    return { top: tops[floor]!, height: stop.passes ? floorHeight(floors[floor]!) : heightOf(stop) }
  }
  const lines = strands
    .toSorted((one, other) => one.weight - other.weight)
    .map(
      (strand) =>
        `<path class="strand c${colours.get(strand.to.room)!}" d="${curve(strand, strands, box)}" stroke-width="${thickness(strand.weight)}"/>`,
    )
  const through = floors.flat().flatMap((stop) => {
    if (!stop.passes) return []
    const { top, height: tall } = box(stop)
    const weight = strands.filter(({ to }) => to === stop).reduce((sum, strand) => sum + strand.weight, 0)
    return [
      `<path class="strand c${colours.get(stop.room)!}" d="M${at(stop.x)} ${at(top)}V${at(top + tall)}" stroke-width="${thickness(weight)}"/>`,
    ]
  })
  const heads = floors.flat().flatMap((stop) => {
    if (stop.passes || !strands.some(({ to }) => to === stop)) return []
    const { top } = box(stop)
    return [`<path class="head c${colours.get(stop.room)!}" d="M${at(stop.x - 8)} ${at(top - 10)}h16l-8 10z"/>`]
  })
  const rooms = floors
    .flat()
    .flatMap((stop) => (stop.passes ? [] : roomShape(stop, box(stop), colours.get(stop.room)!)))
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${at(height)}" role="img" aria-label="The rooms of the house by floor, with the imports between them">`,
    style(colours.size),
    `<rect class="ground" width="${width}" height="${at(height)}" rx="12"/>`,
    ...through,
    ...lines,
    ...heads,
    ...rooms,
    '</svg>',
  ].join('\n')}\n`
}

function floorHeight(stops: readonly Stop[]): number {
  return Math.max(...stops.map(heightOf))
}

function heightOf({ features }: Stop): number {
  return roomHeight + (features.length === 0 ? 0 : features.length * (chipHeight + 6) + 6)
}

function topsOf(floors: readonly (readonly Stop[])[]): readonly number[] {
  const tops: number[] = []
  let top = margin
  for (let floor = floors.length - 1; floor >= 0; floor--) {
    tops[floor] = top
    top += floorHeight(floors[floor]!) + between
  }
  return tops
}

type BoxOf = (stop: Stop) => { readonly top: number; readonly height: number }

/** Leaves a room beside its other arrows, in the order in which they part below, and ends in the middle of the next stop. */
function curve({ from, to }: Strand, strands: readonly Strand[], box: BoxOf): string {
  const leaving = strands.filter((one) => one.from === from).toSorted((one, other) => one.to.x - other.to.x)
  const place = leaving.findIndex((one) => one.to === to)
  const step = Math.min(16, (from.width - 20) / Math.max(1, leaving.length))
  const x = from.passes ? from.x : from.x + (place - (leaving.length - 1) / 2) * step
  const top = box(from).top + box(from).height
  const bottom = box(to).top - (to.passes ? 0 : 8)
  const half = (top + bottom) / 2
  return `M${at(x)} ${at(top)}C${at(x)} ${at(half)} ${at(to.x)} ${at(half)} ${at(to.x)} ${at(bottom)}`
}

function roomShape(stop: Stop, { top, height }: ReturnType<BoxOf>, colour: number): readonly string[] {
  const left = stop.x - stop.width / 2
  const chips = stop.features.flatMap((row, line) => {
    const y = top + roomHeight + line * (chipHeight + 6)
    let x = stop.x - rowWidth(row) / 2
    return row.flatMap((name) => {
      const shape = [
        `<rect class="chip" x="${at(x)}" y="${at(y)}" width="${at(chipWidth(name))}" height="${chipHeight}" rx="13"/>`,
        `<text class="small" x="${at(x + chipWidth(name) / 2)}" y="${at(y + 17.5)}">${name}</text>`,
      ]
      x += chipWidth(name) + 8
      return shape
    })
  })
  return [
    `<rect class="room c${colour}" x="${at(left)}" y="${at(top)}" width="${at(stop.width)}" height="${at(height)}" rx="8"/>`,
    `<text x="${at(stop.x)}" y="${at(top + 26)}">${stop.room}</text>`,
    ...chips,
  ]
}

function thickness(weight: number): string {
  return at(Math.min(9, 1 + weight * 0.8))
}

/** Hues go round by the golden angle, so that rooms beside each other differ. */
function style(colours: number): string {
  const hues = (light: string) =>
    Array.from(
      { length: colours },
      (_, index) => `.c${index}{stroke:hsl(${Math.round((index * 137.5 + 210) % 360)},${light})}`,
    )
  const heads = (light: string) =>
    Array.from(
      { length: colours },
      (_, index) => `.head.c${index}{fill:hsl(${Math.round((index * 137.5 + 210) % 360)},${light})}`,
    )
  return `<style>
text{font:600 16px ui-sans-serif,system-ui,sans-serif;text-anchor:middle;fill:#1c2128}
.small{font-size:13px;font-weight:400}
.strand{fill:none;opacity:.8}
.room{fill:#fff;stroke-width:2}
.chip{fill:#eef1f5}
.ground{fill:#f8f9fb}
${[...hues('55%,45%'), ...heads('55%,45%')].join('')}
@media (prefers-color-scheme:dark){
text{fill:#e8ecf1}
.room{fill:#20262e}
.chip{fill:#323b47}
.ground{fill:#14181d}
${[...hues('55%,62%'), ...heads('55%,62%')].join('')}
}
</style>`
}

/** Tenths are fine enough, and the same on every machine. */
function at(value: number): string {
  return String(Math.round(value * 10) / 10)
}
