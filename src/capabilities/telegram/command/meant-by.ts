/**
 * Those that a word means: by id, by name in any case, or by a beginning of either. The first of these ways that fits any
 * decides, so that a whole name is never ambiguous.
 */
export function meantBy<Thing>(
  word: string,
  things: readonly Thing[],
  namesOf: (thing: Thing) => { readonly id: string; readonly name: string },
): readonly Thing[] {
  const wanted = word.toLowerCase()
  const ways: readonly ((id: string, name: string) => boolean)[] = [
    (id) => id === word,
    (id, name) => id.toLowerCase() === wanted || name.toLowerCase() === wanted,
    (id, name) => id.toLowerCase().startsWith(wanted) || name.toLowerCase().startsWith(wanted),
  ]
  const fitting = (fits: (typeof ways)[number]) =>
    things.filter((thing) => {
      const { id, name } = namesOf(thing)
      return fits(id, name)
    })
  return ways.map(fitting).find(({ length }) => length > 0) ?? []
}
