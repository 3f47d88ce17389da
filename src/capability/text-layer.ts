import type { Layer, Origin } from '../context.ts'

/** A layer with one rendition, under its own name, that the operator wrote in the file `ref`. */
export function textLayer(name: string, text: string, ref: string): Layer {
  const origin: Origin = { kind: 'operator', ref }
  return { id: name, layer: name, renditions: [{ form: 'full', text }], origin }
}
