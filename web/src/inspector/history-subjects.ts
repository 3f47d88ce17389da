import type { LayerSource } from '../../../src/capability.ts'

/** Something that has a history: a layer, a part of one, or what several layers come from. */
export interface HistorySubject {
  /** The same for the same subject. */
  readonly id: string
  readonly title: string
  /** LAYER in `GET /api/layers/LAYER/history`. */
  readonly layer: string
  readonly query: Readonly<Record<string, string>>
}

/**
 * What can be looked at: each layer, with the file that it is read from, each named part of one, such as a skill, and each record
 * that layers come from, such as an agent. `names`: what people call a record, by `KIND/ID`.
 */
export function historySubjects(
  sources: readonly LayerSource[],
  names: ReadonlyMap<string, string>,
): readonly HistorySubject[] {
  const layers = sources.map(({ layer, origin }) => {
    const file = origin && /\.\w+$/.test(origin.ref) ? ` (${origin.ref})` : ''
    return { id: layer, title: `${layer}${file}`, layer, query: {} }
  })
  const parts = sources.flatMap((source) =>
    source.parts.map((part) => ({
      id: `${source.layer}/${part}`,
      title: `${part} (${source.layer})`,
      layer: source.layer,
      query: { part },
    })),
  )
  const records = sources.flatMap(({ origin }) => {
    const [, kind] = /^([a-z]+)\/[^/.]+$/.exec(origin?.ref ?? '') ?? []
    if (origin === undefined || kind === undefined) return []
    const title = `${names.get(origin.ref) ?? origin.ref.slice(kind.length + 1)} (${kind})`
    return [{ id: origin.ref, title, layer: '*', query: { origin: origin.ref } }]
  })
  // Of several with one id the newest has its title.
  return [
    ...new Map([...layers, ...parts, ...records].toReversed().map((subject) => [subject.id, subject])).values(),
  ].toReversed()
}
