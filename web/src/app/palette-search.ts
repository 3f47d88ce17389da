export interface PaletteItem {
  readonly id: string
  readonly title: string
  /** Searched as well. */
  readonly about?: string
  run(): void
}

export interface PaletteGroup {
  readonly title: string
  readonly items: readonly PaletteItem[]
}

/** What the letters find, the best first: groups by their best item, and in the order given where two are equally good. */
export function findItems(groups: readonly PaletteGroup[], letters: string): readonly PaletteGroup[] {
  const wanted = letters.trim().toLowerCase()
  if (wanted === '') return groups.filter(({ items }) => items.length > 0)
  return groups
    .map(({ title, items }) => {
      const ranked = items
        .map((item) => ({ item, rank: itemRank(item, wanted) }))
        .filter(({ rank }) => rank < NONE)
        .toSorted((one, other) => one.rank - other.rank)
      return { group: { title, items: ranked.map(({ item }) => item) }, best: ranked[0]?.rank ?? NONE }
    })
    .filter(({ best }) => best < NONE)
    .toSorted((one, other) => one.best - other.best)
    .map(({ group }) => group)
}

const NONE = 5

/** 0 at the beginning, 1 at that of a word, 2 anywhere, 3 in what is said about it, 4 letters that follow each other somewhere. */
function itemRank({ title, about = '' }: PaletteItem, wanted: string): number {
  const text = title.toLowerCase()
  const at = text.indexOf(wanted)
  if (at === 0) return 0
  if (at > 0) return /[\p{L}\p{N}]/u.test(text[at - 1]!) && !text.includes(` ${wanted}`) ? 2 : 1
  if (about.toLowerCase().includes(wanted)) return 3
  return hasInOrder(text, wanted) ? 4 : NONE
}

function hasInOrder(text: string, letters: string): boolean {
  let from = 0
  for (const letter of letters.replaceAll(/\s/g, '')) {
    from = text.indexOf(letter, from) + 1
    if (from === 0) return false
  }
  return true
}
