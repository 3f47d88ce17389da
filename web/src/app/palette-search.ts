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

/** 0 at the beginning, 1 at that of a word, 2 anywhere, 3 in what is said about it, 4 where letters follow each other in words that begin with them. */
function itemRank({ title, about = '' }: PaletteItem, wanted: string): number {
  const text = title.toLowerCase()
  const at = text.indexOf(wanted)
  if (at === 0) return 0
  if (at > 0) return /[\p{L}\p{N}]/u.test(text[at - 1]!) && !text.includes(` ${wanted}`) ? 2 : 1
  if (about.toLowerCase().includes(wanted)) return 3
  return begins(text.split(/[^\p{L}\p{N}]+/u), wanted.replaceAll(/\s/g, '')) ? 4 : NONE
}

/** Whether the letters are those of words that follow each other: `smo` of `Settings: Models`, `tds` of `Tides`. */
function begins(words: readonly string[], letters: string): boolean {
  if (letters === '') return true
  return words.some((word, at) => {
    const most = word[0] === letters[0] ? lettersOf(word, letters) : 0
    for (let taken = most; taken > 0; taken--) {
      if (begins(words.slice(at + 1), letters.slice(taken))) return true
    }
    return false
  })
}

/** How many of the letters a word has, in their order. */
function lettersOf(word: string, letters: string): number {
  let [from, taken] = [0, 0]
  for (; taken < letters.length; taken++) {
    from = word.indexOf(letters[taken]!, from) + 1
    if (from === 0) break
  }
  return taken
}
