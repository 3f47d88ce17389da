/** The place of a turn among those beside it in other branches. */
export interface TurnPlace {
  /** The turn that it follows; `null`: none; `undefined`: it is not read yet. */
  readonly after: string | null | undefined
  /** Its place among the turns that follow the same one, from 0, and the last turn of the newest branch through each of them. */
  readonly siblings: { readonly at: number; readonly leaves: readonly string[] } | undefined
  /** The last turn of the newest branch that goes on after it, where the conversation does not. */
  readonly onward: string | undefined
}

interface Placed {
  readonly id: string
  readonly parent: string | null | undefined
  readonly undone: boolean
  readonly place: TurnPlace | undefined
}

/** The turn after which a conversation goes on; `null`: its beginning; `undefined`: the newest turn. */
export type Head = string | null | undefined

/**
 * The turns that lead to the head, oldest first, each with its place. `log` are the turns that were read, in the order of the
 * log; `whole` says that none is before them.
 */
export function turnsToHead<Turn extends Placed>(log: readonly Turn[], head: Head, whole: boolean): readonly Turn[] {
  const at = new Map(log.map(({ id }, index) => [id, index]))
  const before = (index: number): number => {
    const { parent } = log[index]!
    return parent === undefined ? index - 1 : (at.get(parent ?? '') ?? -1)
  }
  const path: number[] = []
  for (let next = head === undefined ? log.length - 1 : (at.get(head ?? '') ?? -1); next >= 0; next = before(next)) {
    path.push(next)
  }
  path.reverse()
  if (head === undefined && log.every(({ parent }) => parent === undefined)) {
    return log.map((turn, index) => placed(turn, { after: followed(index), siblings: undefined, onward: undefined }))
  }

  const leaves = new Map<string, string>()
  const children = new Map<string | null, number[]>()
  for (const [index, turn] of [...log.entries()].toReversed()) {
    if (turn.undone) continue
    const after = followed(index)
    if (after === undefined) continue
    children.set(after, [index, ...(children.get(after) ?? [])])
    if (after !== null && !leaves.has(after)) leaves.set(after, leaves.get(turn.id) ?? turn.id)
  }
  return path.map((index) => {
    const turn = log[index]!
    const after = followed(index)
    const beside = after === undefined ? [] : (children.get(after) ?? [])
    const others = beside.map((one) => leaves.get(log[one]!.id) ?? log[one]!.id)
    const siblings =
      beside.length > 1 && beside.includes(index) ? { at: beside.indexOf(index), leaves: others } : undefined
    return placed(turn, { after, siblings, onward: index === path.at(-1) ? leaves.get(turn.id) : undefined })
  })

  /** The turn that the one at `index` follows, without those that were undone. */
  function followed(index: number): string | null | undefined {
    let next = index
    do {
      const { parent } = log[next]!
      if (parent === null) return null
      const previous = before(next)
      if (previous < 0) return parent ?? (whole ? null : undefined)
      next = previous
    } while (log[next]!.undone)
    return log[next]!.id
  }
}

/** The same turn where nothing beside it has changed, so that it is not drawn again. */
function placed<Turn extends Placed>(turn: Turn, place: TurnPlace): Turn {
  return JSON.stringify(turn.place) === JSON.stringify(place) ? turn : { ...turn, place }
}
