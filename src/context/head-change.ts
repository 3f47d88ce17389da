import { exactLine } from './exact-text.ts'
import { framed } from './frame.ts'
import type { Layer, Origin } from './layer.ts'
import { lineDifference } from './line-difference.ts'
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
