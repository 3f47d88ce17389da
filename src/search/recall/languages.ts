import { type Clock, timeSlice } from '../../platform.ts'

/** Stemmer and stop words of one language. */
export interface Language {
  readonly name: string
  readonly stem: (word: string) => string
  readonly stopWords: ReadonlySet<string>
}

/** The languages with a stemmer. */
export type Languages = Awaited<ReturnType<typeof load>>

/** Words of a text that its language is detected from. */
const LOOKED_AT = 200

let loading: Promise<Languages> | undefined

/** Loads the languages at the first call: about 40 small modules, with other work between them. */
export function loadLanguages(clock: Clock): Promise<Languages> {
  return (loading ??= load(clock))
}

async function load(clock: Clock) {
  const loaded: Language[] = []
  const work = timeSlice(clock)
  for (const [name, source] of Object.entries(sources)) {
    // oxlint-disable-next-line no-await-in-loop -- together they would be compiled in one piece of a tenth of a second
    const [{ stemmer }, { stopwords }] = await source()
    // Modules are read and compiled at once, so that awaiting them lets nothing else run.
    // oxlint-disable-next-line no-await-in-loop -- that is what it is for
    if (work.isOver()) await work.rest()
    const stopWords = stopwords.map((word) => word.normalize('NFKC').toLowerCase())
    loaded.push({ name, stem: remembering(stemmer), stopWords: new Set(stopWords) })
  }
  const [english] = loaded
  const unstemmed = (await unstemmedStopWords()).map((word) => word.normalize('NFKC'))
  const asianStopWords = new Set(unstemmed)

  function best(words: readonly string[]): readonly Language[] {
    const looked = words.slice(0, LOOKED_AT)
    let most = 1
    let found: Language[] = []
    for (const language of loaded) {
      const hits = looked.reduce((sum, word) => sum + (language.stopWords.has(word) ? 1 : 0), 0)
      if (hits > most) found = []
      if (hits >= most) found.push(language)
      most = Math.max(most, hits)
    }
    return found.length === 0 ? [english!] : found
  }

  return {
    /** The language of a text with these words; English if it cannot be detected. */
    of: (words: readonly string[]) => best(words)[0]!,
    /** `undefined` for an unknown name. */
    named: (name: string) => loaded.find((language) => language.name === name),
    /** A test for the stop words of a question, of every language that fits it best. */
    stopWordsIn(words: readonly string[]) {
      const languages = best(words)
      return (word: string) => asianStopWords.has(word) || languages.some(({ stopWords }) => stopWords.has(word))
    },
  }
}

/** The most cached stems of one language: a conversation repeats its words. */
const KEPT_STEMS = 20_000

function remembering(stem: (word: string) => string): (word: string) => string {
  const known = new Map<string, string>()
  return (word) => {
    const before = known.get(word)
    if (before !== undefined) return before
    const made = /^\p{L}+$/u.test(word) ? stem(word) || word : word
    if (known.size >= KEPT_STEMS) known.clear()
    known.set(word, made)
    return made
  }
}

async function unstemmedStopWords(): Promise<readonly string[]> {
  const [mandarin, japanese] = await Promise.all([
    import('@orama/stopwords/mandarin'),
    import('@orama/stopwords/japanese'),
  ])
  return [...mandarin.stopwords, ...japanese.stopwords]
}

type Source = () => Promise<
  readonly [{ readonly stemmer: (word: string) => string }, { readonly stopwords: readonly string[] }]
>

/** English comes first: it wins if two languages fit a text equally well. */
const sources: Readonly<Record<string, Source>> = {
  english: () => Promise.all([import('@orama/stemmers/english'), import('@orama/stopwords/english')]),
  german: () => Promise.all([import('@orama/stemmers/german'), import('@orama/stopwords/german')]),
  french: () => Promise.all([import('@orama/stemmers/french'), import('@orama/stopwords/french')]),
  spanish: () => Promise.all([import('@orama/stemmers/spanish'), import('@orama/stopwords/spanish')]),
  italian: () => Promise.all([import('@orama/stemmers/italian'), import('@orama/stopwords/italian')]),
  portuguese: () => Promise.all([import('@orama/stemmers/portuguese'), import('@orama/stopwords/portuguese')]),
  dutch: () => Promise.all([import('@orama/stemmers/dutch'), import('@orama/stopwords/dutch')]),
  danish: () => Promise.all([import('@orama/stemmers/danish'), import('@orama/stopwords/danish')]),
  norwegian: () => Promise.all([import('@orama/stemmers/norwegian'), import('@orama/stopwords/norwegian')]),
  swedish: () => Promise.all([import('@orama/stemmers/swedish'), import('@orama/stopwords/swedish')]),
  finnish: () => Promise.all([import('@orama/stemmers/finnish'), import('@orama/stopwords/finnish')]),
  hungarian: () => Promise.all([import('@orama/stemmers/hungarian'), import('@orama/stopwords/hungarian')]),
  romanian: () => Promise.all([import('@orama/stemmers/romanian'), import('@orama/stopwords/romanian')]),
  russian: () => Promise.all([import('@orama/stemmers/russian'), import('@orama/stopwords/russian')]),
  ukrainian: () => Promise.all([import('@orama/stemmers/ukrainian'), import('@orama/stopwords/ukrainian')]),
  bulgarian: () => Promise.all([import('@orama/stemmers/bulgarian'), import('@orama/stopwords/bulgarian')]),
  greek: () => Promise.all([import('@orama/stemmers/greek'), import('@orama/stopwords/greek')]),
  turkish: () => Promise.all([import('@orama/stemmers/turkish'), import('@orama/stopwords/turkish')]),
  arabic: () => Promise.all([import('@orama/stemmers/arabic'), import('@orama/stopwords/arabic')]),
  indonesian: () => Promise.all([import('@orama/stemmers/indonesian'), import('@orama/stopwords/indonesian')]),
}

/** Further stems for a word such as "called": those of all naming words of its language. */
export function namingStems(word: string, { name, stem }: Language): readonly string[] {
  const words = naming[name] ?? []
  return words.includes(word) ? words.map(stem) : []
}

/**
 * Questions about names often use another word than the text: "What is my boat called?" finds "it is named Ariel". Forms
 * that mostly mean something else, such as "call", are left out.
 */
const naming: Readonly<Record<string, readonly string[]>> = {
  english: ['called', 'named', 'name', 'names'],
  german: ['heißt', 'heißen', 'hieß', 'heisst', 'genannt', 'nennt', 'nenne', 'nennen', 'nannte', 'name', 'namen'],
  french: ['appelle', 'appelles', 'appelait', 'appelé', 'appelée', 'nommé', 'nommée', 'nom', 'noms'],
  spanish: ['llama', 'llaman', 'llamaba', 'llamado', 'llamada', 'nombre', 'nombres'],
  italian: ['chiama', 'chiamano', 'chiamava', 'chiamato', 'chiamata', 'nome', 'nomi'],
  portuguese: ['chama', 'chamam', 'chamava', 'chamado', 'chamada', 'nome', 'nomes'],
  dutch: ['heet', 'heten', 'heette', 'genoemd', 'naam', 'namen'],
}
