import { exactLine } from './exact-text.ts'
import { framed } from './frame.ts'
import type { Layer, Origin } from './layer.ts'
import { isOfferedWith, type ToolDefinition } from './tool-definition.ts'

/** What stands at the beginning of a request: tools, and the layers of system and preamble. */
export interface Head {
  readonly layers: readonly Layer[]
  readonly tools: readonly ToolDefinition[]
}

/** A change of one layer of the head, or of its tools, in words for the model. */
export interface HeadChange {
  /** Of the layer; `tools` for the tools. */
  readonly id: string
  readonly layer: string
  readonly text: string
  readonly origin: Origin
}

/** A layer as it is sent: its form and its text. */
type SentText = (layer: Layer) => { readonly form: string; readonly text: string } | undefined

/**
 * What a model that knows one head has to be informed of about another. Text of others stays in its frame, and has the origin of
 * its layer. The order of tools and layers changes nothing. Pure.
 */
export function headChanges(known: Head, wanted: Head, sentText: SentText): readonly HeadChange[] {
  const before = new Map(known.layers.map((layer) => [layer.id, layer]))
  const after = new Map(wanted.layers.map((layer) => [layer.id, layer]))
  const layers = [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
    const [old, now] = [before.get(id), after.get(id)]
    return layerChange(
      { layer: now, text: now && sentText(now)?.text },
      { layer: old, text: old && sentText(old)?.text },
    )
  })
  const text = toolChange(offered(known, sentText), offered(wanted, sentText))
  if (text === '') return layers
  return [...layers, { id: 'tools', layer: 'tool', text, origin: { kind: 'operator', ref: 'tools' } }]
}

interface LayerState {
  readonly layer: Layer | undefined
  readonly text: string | undefined
}

function layerChange(now: LayerState, old: LayerState): readonly HeadChange[] {
  const layer = now.layer ?? old.layer
  if (!layer || now.text === old.text) return []
  const { id } = layer
  const operator: Origin = { kind: 'operator', ref: id }
  const what = `"${exactLine(id)}"`
  if (now.text === undefined) {
    return [
      { id, layer: layer.layer, text: `[From here on ${what} of the beginning no longer applies.]`, origin: operator },
    ]
  }
  const difference = old.text === undefined ? undefined : lineDifference(old.text, now.text)
  const words =
    difference !== undefined
      ? `[${what} of the beginning has changed: from here on lines with "-" no longer apply, and lines with "+" do.]`
      : old.text !== undefined
        ? `[${what} of the beginning has changed. From here on it is this:]`
        : `[From here on there is also ${what}:]`
  const title =
    layer.frame === undefined
      ? ({ what: id, as: 'guidance' } as const)
      : ({ what: layer.frame, as: 'material' } as const)
  const text = `${words}\n${framed(difference ?? now.text, title)}`
  return [{ id, layer: layer.layer, text, origin: layer.origin ?? operator }]
}

/** Those of the tools that a model can see: some come with a layer only. */
function offered({ layers, tools }: Head, sentText: SentText): readonly ToolDefinition[] {
  const sent = layers.flatMap((layer) => {
    const form = sentText(layer)?.form
    return form === undefined ? [] : [{ layer: layer.layer, form }]
  })
  return tools.filter(
    (tool) => tool.offeredWith === undefined || sent.some(({ layer, form }) => isOfferedWith(tool, layer, form)),
  )
}

function toolChange(known: readonly ToolDefinition[], wanted: readonly ToolDefinition[]): string {
  const before = new Map(known.map((tool) => [tool.name, definition(tool)]))
  const names = new Set(wanted.map(({ name }) => name))
  const added = wanted.filter(({ name }) => !before.has(name))
  const changed = wanted.filter((tool) => before.has(tool.name) && before.get(tool.name) !== definition(tool))
  const removed = known.filter(({ name }) => !names.has(name))
  return [
    ...(removed.length > 0
      ? [`[From here on these tools cannot be called: ${list(removed)}. A call is refused.]`]
      : []),
    ...(added.length > 0
      ? [
          `[From here on these tools can be called too, by their names, as those of the beginning: ${list(added)}.]`,
          definitions(added),
        ]
      : []),
    ...(changed.length > 0
      ? [`[From here on these tools are defined in another way: ${list(changed)}.]`, definitions(changed)]
      : []),
  ].join('\n')
}

function list(tools: readonly ToolDefinition[]): string {
  return tools.map(({ name }) => exactLine(name)).join(', ')
}

function definitions(tools: readonly ToolDefinition[]): string {
  return framed(tools.map(definition).join('\n'), { what: 'definitions of tools', as: 'material' })
}

function definition({ name, description, inputSchema }: ToolDefinition): string {
  return JSON.stringify({ name, ...(description === undefined ? {} : { description }), inputSchema })
}

/**
 * What changed between two texts, line by line: `- ` before lines that are gone, `+ ` before new ones, and a line of what
 * stayed around each place. `undefined` where that would save little against the whole new text. Pure.
 */
export function lineDifference(before: string, after: string): string | undefined {
  const old = before.split('\n')
  const now = after.split('\n')
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1
  const gone = old.slice(start, old.length - end)
  const added = now.slice(start, now.length - end)
  if (gone.length * added.length > MOST_COMPARED) return undefined
  const steps = [
    ...old.slice(Math.max(0, start - CONTEXT), start).map(kept),
    ...stepsBetween(gone, added),
    ...old.slice(old.length - end, old.length - end + CONTEXT).map(kept),
  ]
  const text = aroundChanges(steps)
  return text.length <= after.length * WORTH ? text : undefined
}

/** Lines of one text times lines of the other: more take too long. */
const MOST_COMPARED = 4_000_000

/** Lines of what stayed on each side of a change. */
const CONTEXT = 1

/** A difference that is longer than this share of the new text is no help. */
const WORTH = 0.6

interface Step {
  readonly sign: ' ' | '-' | '+'
  readonly line: string
}

function kept(line: string): Step {
  return { sign: ' ', line }
}

/** The fewest lines out and in, by the longest run of lines that both have. */
function stepsBetween(old: readonly string[], now: readonly string[]): readonly Step[] {
  const width = now.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  for (let at = old.length - 1; at >= 0; at--) {
    for (let to = now.length - 1; to >= 0; to--) {
      common[at * width + to] =
        old[at] === now[to]
          ? common[(at + 1) * width + to + 1]! + 1
          : Math.max(common[(at + 1) * width + to]!, common[at * width + to + 1]!)
    }
  }
  const steps: Step[] = []
  let at = 0
  let to = 0
  while (at < old.length || to < now.length) {
    if (at < old.length && to < now.length && old[at] === now[to]) {
      steps.push(kept(old[at]!))
      at += 1
      to += 1
    } else if (
      to === now.length ||
      (at < old.length && common[(at + 1) * width + to]! >= common[at * width + to + 1]!)
    ) {
      steps.push({ sign: '-', line: old[at++]! })
    } else {
      steps.push({ sign: '+', line: now[to++]! })
    }
  }
  return steps
}

/** Changes with the lines beside them; `…` where lines are left out between two places. */
function aroundChanges(steps: readonly Step[]): string {
  const shown: string[] = []
  let last = -1
  for (const [index, { sign, line }] of steps.entries()) {
    const near = steps.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1)
    if (near.every((step) => step.sign === ' ')) continue
    if (last !== -1 && index > last + 1) shown.push('…')
    shown.push(`${sign} ${line}`)
    last = index
  }
  return shown.join('\n')
}
