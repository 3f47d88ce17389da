/** What a word says about a month. */
export interface MonthName {
  /** From 1. */
  readonly month: number
  /** Not an abbreviation. */
  readonly whole: boolean
  /** It is another word too: without a year it is a month only with a capital letter. */
  readonly otherWord: boolean
}

const OTHER_WORDS = new Set(['march', 'may', 'august'])
const known = new Map<string, ReadonlyMap<string, MonthName>>()

/** The names of the months in English and in these languages, in lower case, as Unicode has them. */
export function monthNames(languages: readonly string[]): ReadonlyMap<string, MonthName> {
  const names = [...new Set(['english', ...languages])].toSorted()
  const key = names.join(' ')
  const before = known.get(key)
  if (before) return before
  const found = names.flatMap((name) => (locales[name] ?? []).flatMap(namesOf))
  // What is an abbreviation here may be the whole name there.
  const made = new Map(found.toSorted(([, a], [, b]) => Number(a.whole) - Number(b.whole)))
  known.set(key, made)
  return made
}

/** Of a language, the names that stand alone and those that stand beside a day, and what they are shortened to. */
function namesOf(locale: string): readonly (readonly [string, MonthName])[] {
  return (['short', 'long'] as const).flatMap((length) =>
    [{}, { day: 'numeric' } as const].flatMap((beside) => {
      const format = new Intl.DateTimeFormat(locale, { ...beside, month: length, calendar: 'gregory', timeZone: 'UTC' })
      return Array.from({ length: 12 }, (_, index) => {
        const parts = format.formatToParts(Date.UTC(2026, index, 15))
        const written = parts.find(({ type }) => type === 'month')!.value
        const name = written.toLowerCase().replace(/\.$/, '')
        return [name, { month: index + 1, whole: length === 'long', otherWord: OTHER_WORDS.has(name) }] as const
      })
    }),
  )
}

const locales: Readonly<Record<string, readonly string[]>> = {
  english: ['en-US', 'en-GB'],
  german: ['de'],
  french: ['fr'],
  spanish: ['es'],
  italian: ['it'],
  portuguese: ['pt'],
  dutch: ['nl'],
  danish: ['da'],
  norwegian: ['nb'],
  swedish: ['sv'],
  finnish: ['fi'],
  hungarian: ['hu'],
  romanian: ['ro'],
  russian: ['ru'],
  ukrainian: ['uk'],
  bulgarian: ['bg'],
  greek: ['el'],
  turkish: ['tr'],
  arabic: ['ar'],
  indonesian: ['id'],
}
