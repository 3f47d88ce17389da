/** Whether a grammar allows a command; `why` is a sentence without its full stop. */
type CommandMatch =
  | { readonly type: 'allowed'; readonly places: readonly PlaceWord[] }
  | { readonly type: 'refused'; readonly why: string }

/** Compares every word of a command with a grammar. `undefined`: it is another command. Looks at no disk. */
export function matchCommand(argv: readonly string[], grammar: CommandGrammar): CommandMatch | undefined {
  const found = grammar.begins.flatMap((begin) => {
    const rest = restBehind(argv, begin.split(' '), grammar.before ?? [])
    return rest === undefined ? [] : [{ begin, rest }]
  })[0]
  if (found === undefined) return undefined
  try {
    return { type: 'allowed', places: placesOf(found.rest, grammar, found.begin) }
  } catch (error) {
    if (error instanceof Refusal) return { type: 'refused', why: error.message }
    throw error
  }
}

class Refusal extends Error {}

function restBehind(
  argv: readonly string[],
  [program, ...words]: readonly string[],
  before: readonly string[],
): readonly string[] | undefined {
  if (argv[0] !== program) return undefined
  const skipped = argv.slice(1).findIndex((word) => !before.includes(word))
  const rest = skipped === -1 ? [] : argv.slice(1 + skipped)
  return words.every((word, index) => rest[index] === word) ? rest.slice(words.length) : undefined
}

export function flagsOf({ flags }: CommandGrammar): ReadonlyMap<string, FlagValue> {
  return new Map(Object.entries(flags).flatMap(([names, value]) => names.split(' ').map((name) => [name, value])))
}

/** The state while the words of one command are read. */
interface Reading {
  readonly grammar: CommandGrammar
  readonly flags: ReadonlyMap<string, FlagValue>
  readonly begin: string
  readonly given: Set<string>
  readonly places: PlaceWord[]
}

function placesOf(words: readonly string[], grammar: CommandGrammar, begin: string): readonly PlaceWord[] {
  const reading: Reading = { grammar, flags: flagsOf(grammar), begin, given: new Set(), places: [] }
  const operands: string[] = []
  let isEnded = false
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!
    if (isEnded && word.startsWith('-')) {
      throw new Refusal(`${quoted(word)} stands behind -- and begins with -: write ./${word} for a file of this name`)
    }
    if (!isEnded && word === '--' && grammar.endOfFlags) isEnded = true
    else if (isEnded || !isFlag(word, reading)) {
      if (grammar.expression && reading.given.size > 0) {
        throw new Refusal(`${quoted(word)} stands behind the first flag of \`${begin}\`: put paths before the flags`)
      }
      operands.push(word)
    } else {
      if (operands.length > 0 && !grammar.flagsAnywhere && !grammar.expression) {
        throw new Refusal(
          `the flag ${quoted(word)} stands behind a name in \`${begin}\`, where not every system reads flags: put flags first`,
        )
      }
      if (readFlag(word, words[at + 1], reading)) at += 1
    }
  }
  readOperands(operands, reading)
  const { needs } = grammar
  if (needs && !needs.some((name) => reading.given.has(name))) {
    throw new Refusal(`\`${begin}\` has to have ${needs.join(' or ')}`)
  }
  return reading.places
}

function isFlag(word: string, { grammar, flags }: Reading): boolean {
  return word.startsWith('-') || (grammar.expression === true && flags.has(word))
}

/** Answers whether the next word is the value of the flag. */
function readFlag(word: string, next: string | undefined, reading: Reading): boolean {
  const { grammar, flags } = reading
  const [name, attached] = word.startsWith('--') ? splitLong(word) : [word, undefined]
  const value = flags.get(name)
  if (value !== undefined) return readValue(name, value, { attached, next }, reading)
  if (grammar.expression || word.startsWith('--')) throw unknownFlag(name, reading)
  return readLetters(word, next, reading)
}

function splitLong(word: string): readonly [string, string | undefined] {
  const at = word.indexOf('=')
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}

function readLetters(word: string, next: string | undefined, reading: Reading): boolean {
  const { grammar, flags } = reading
  const number = flags.get('-NUMBER')
  if (number !== undefined && /^-\d{1,9}$/.test(word)) {
    reading.given.add('-NUMBER')
    return false
  }
  for (let at = 1; at < word.length; at += 1) {
    const name = `-${word[at]}`
    const value = flags.get(name)
    const rest = word.slice(at + 1)
    // A flag whose value is only in the next word could be read in more than one way between others.
    const isAlone = value?.startsWith('_') || (!grammar.bundles && (at > 1 || (value === 'none' && rest !== '')))
    if (value === undefined || isAlone) throw unknownFlag(at === 1 && value === undefined ? name : word, reading)
    if (value !== 'none') return readValue(name, value, { attached: rest === '' ? undefined : rest, next }, reading)
    reading.given.add(name)
  }
  if (word === '-') throw new Refusal('- (the standard input) is not allowed: name a file')
  return false
}

interface Given {
  readonly attached: string | undefined
  readonly next: string | undefined
}

function readValue(name: string, value: FlagValue, { attached, next }: Given, reading: Reading): boolean {
  reading.given.add(name)
  if (value === 'none') {
    if (attached !== undefined) throw new Refusal(`the flag ${name} has no value: write ${name} alone`)
    return false
  }
  const { form, kind } = valueForm(value)
  if (attached !== undefined && form !== 'next') {
    keep(name, attached, kind, reading)
    return false
  }
  if (form === 'optional') return false
  if (attached !== undefined || form === 'same') throw new Refusal(`write the flag ${name} as ${flagText(name, value)}`)
  if (next === undefined) throw new Refusal(`the flag ${name} needs ${kindText(kind)}: ${flagText(name, value)}`)
  if (next.startsWith('-') && kind !== 'count') {
    throw new Refusal(
      `the value ${quoted(next)} of ${name} begins with -: ${form === 'next' ? 'it is not allowed' : `write ${flagText(name, `=${kind}`)}`}`,
    )
  }
  keep(name, next, kind, reading)
  return true
}

function keep(name: string, word: string, kind: WordKind, { places }: Reading): void {
  const fault = kindFault(word, kind)
  if (fault !== undefined) throw new Refusal(`the value ${quoted(word)} of ${name} ${fault}`)
  places.push(...placesIn(word, kind))
}

type ValueForm = 'either' | 'same' | 'optional' | 'next'

function valueForm(value: Exclude<FlagValue, 'none'>): { readonly form: ValueForm; readonly kind: WordKind } {
  if (value.startsWith('[=')) return { form: 'optional', kind: value.slice(2, -1) as WordKind }
  if (value.startsWith('=')) return { form: 'same', kind: value.slice(1) as WordKind }
  if (value.startsWith('_')) return { form: 'next', kind: value.slice(1) as WordKind }
  return { form: 'either', kind: value as WordKind }
}

/** A flag with its value, as a person writes it: `--max-count=N`. */
export function flagText(name: string, value: FlagValue): string {
  if (value === 'none') return name
  const { form, kind } = valueForm(value)
  const what = isChoice(kind) ? kind.slice(CHOICE.length) : kind.toUpperCase()
  const joint = name.startsWith('--') ? '=' : ''
  if (form === 'optional') return `${name}[${joint}${what}]`
  if (form === 'next' || (form === 'either' && joint === '')) return `${name} ${what}`
  return `${name}${joint}${what}`
}

function readOperands(words: readonly string[], reading: Reading): void {
  const { grammar, begin, given, places } = reading
  const ofFlags = places.length
  let at = 0
  const expected = (grammar.operands ?? []).filter(({ unless = [] }) => !unless.some((name) => given.has(name)))
  for (const { kind, least = 0, most = Infinity } of expected) {
    const mine = words.slice(at, at + most)
    if (mine.length < least) throw new Refusal(`\`${begin}\` needs ${kindText(kind)}`)
    for (const word of mine) {
      const fault = kindFault(word, kind)
      if (fault !== undefined) throw new Refusal(`${quoted(word)} in \`${begin}\` ${fault}`)
      places.push(...placesIn(word, kind))
    }
    at += mine.length
  }
  if (grammar.readsFolder && places.length === ofFlags) places.push({ word: '.', kind: 'path' })
  if (at === words.length) return
  throw new Refusal(
    at === 0
      ? `\`${begin}\` has only flags here, so ${quoted(words[at]!)} is not allowed`
      : `${quoted(words[at]!)} is one word too many for \`${begin}\``,
  )
}

const MOST_LISTED = 15

function unknownFlag(name: string, { flags, begin }: Reading): Refusal {
  const known = [...flags.keys()]
  const [longer, ...others] = name.startsWith('--') ? known.filter((each) => each.startsWith(name)) : []
  if (longer !== undefined && others.length === 0) {
    return new Refusal(`the flag ${quoted(name)} is cut short: write ${longer}`)
  }
  const listed = known.slice(0, MOST_LISTED).join(', ')
  const more = known.length > MOST_LISTED ? ` and ${known.length - MOST_LISTED} more` : ''
  const allowed = known.length === 0 ? 'it may have no flags' : `allowed are ${listed}${more}`
  return new Refusal(`the flag ${quoted(name)} is not allowed in \`${begin}\`: ${allowed}`)
}

/** A word of somebody else, cut to what can be recognised. */
function quoted(word: string): string {
  return JSON.stringify(word.length > 100 ? `${word.slice(0, 100)}…` : word)
}

interface KindRule {
  /** With its article. */
  readonly what: string
  /** Default: any word fits. */
  readonly fits?: RegExp
  readonly place?: PlaceWord['kind']
}

const rules: Readonly<Record<Exclude<WordKind, `one of ${string}`>, KindRule>> = {
  text: { what: 'a text' },
  pattern: { what: 'a pattern' },
  // Some programs read a word that begins with @ as a file with further arguments, wherever it stands.
  expression: { what: 'an expression', fits: /^[^@]/s },
  // The placeholders that begin with G make git start a program that checks signatures.
  format: { what: 'a format without %G', fits: /^(?!.*%[-+ ]?G)/s },
  number: { what: 'a number', fits: /^\d{1,9}$/ },
  count: { what: 'a count such as 20, -20 or 4k', fits: /^[+-]?\d{1,12}[A-Za-z]{0,3}$/ },
  lines: { what: 'lines such as 10,20', fits: /^\d{1,9}(?:,[+-]?\d{1,9})?$/ },
  name: { what: 'a name', fits: /^[A-Za-z0-9][\w:.-]*$/ },
  branch: { what: 'a branch', fits: /^[\w@][\w./@{}~^+#-]*$/ },
  revision: { what: 'a revision or a path', place: 'path' },
  // Git takes : at the beginning for a place above the folder, and the other characters for patterns.
  path: { what: 'a path that does not begin with :', fits: /^[^@:]/s, place: 'path' },
  file: { what: 'a file', fits: /^[^@:]/s, place: 'file' },
  written: { what: 'the name of one file, without patterns', fits: /^[^@:*?[\\][^*?[\\]*$/s, place: 'written' },
  // Braces are patterns of the runner, and could lead out of the folder.
  test: { what: 'a path of tests without braces', fits: /^[^@:{}][^{}]*$/s, place: 'path' },
}

const CHOICE = 'one of '

export function kindText(kind: WordKind): string {
  return isChoice(kind) ? `one of ${kind.slice(CHOICE.length).split('|').join(', ')}` : rules[kind].what
}

/** Why a word is not of a kind, as `has to be …`. A word that names a place begins neither with `-` nor with `@`. */
function kindFault(word: string, kind: WordKind): string | undefined {
  if (isChoice(kind)) {
    return kind.slice(CHOICE.length).split('|').includes(word) ? undefined : `has to be ${kindText(kind)}`
  }
  const { what, fits, place } = rules[kind]
  if (place !== undefined && word.startsWith('@') && kind !== 'revision') {
    return `begins with @, which can stand for further arguments from a file: write ./${word} for a file of this name`
  }
  const isFit = (place === undefined || word !== '') && (fits?.test(word) ?? true)
  return isFit ? undefined : `has to be ${what}`
}

/** The place that a word of a kind names; none where it names no place. */
function placesIn(word: string, kind: WordKind): readonly PlaceWord[] {
  const place = isChoice(kind) ? undefined : rules[kind].place
  if (place === undefined) return []
  // Behind the path of a test stand the names of tests in it.
  return [{ word: kind === 'test' ? (word.split('::')[0] ?? word) : word, kind: place }]
}

function isChoice(kind: WordKind): kind is `one of ${string}` {
  return kind.startsWith(CHOICE)
}

/** The commands that one preset allows, in words for its owner and as data for the decision. */
export interface CommandPreset {
  /** Such as `git-read`. */
  readonly name: string
  readonly allows: string
  /** What it does not stop: a sentence for its owner. */
  readonly leaves: string
  /** It runs code that the project contains, so its arguments say little about what happens. */
  readonly runsCode?: true
  readonly readsOnly?: true
  readonly commands: readonly CommandGrammar[]
}

/** A command with every argument that it may have: what is not named here is refused, also flags of newer versions. */
export interface CommandGrammar {
  /** Its first words, compared exactly. Several programs can share a grammar. */
  readonly begins: readonly string[]
  /** Words that may stand behind the program, such as `--no-pager` of git. */
  readonly before?: readonly string[]
  /** By names with blanks between them: `{ '-n --number': 'none' }`. `-NUMBER` is a number of any length. */
  readonly flags: Readonly<Record<string, FlagValue>>
  /** Names of flags of which one has to be there. */
  readonly needs?: readonly string[]
  /** What is no flag, in its order. None: nothing may follow. */
  readonly operands?: readonly Operand[]
  /** Where no operand is a path, it reads the folder that it runs in. */
  readonly readsFolder?: true
  /** Several short flags may stand in one word: `-la`. */
  readonly bundles?: true
  /** The program itself reads flags behind operands too, on every system. Otherwise they are refused there. */
  readonly flagsAnywhere?: true
  /** The program knows `--`, behind which no word is a flag. */
  readonly endOfFlags?: true
  /** Flags are the words of an expression that follows the operands, as those of `find` do. */
  readonly expression?: true
}

/**
 * How a flag has its value. `text`: in the same word or in the next one. `=text`: only in the same word (`--flag=x`, `-fx`).
 * `[=text]`: in the same word or not at all. `_text`: only in the next word. A program that would read the words in another
 * way must not be described by the first form.
 */
export type FlagValue = 'none' | WordKind | `=${WordKind}` | `[=${WordKind}]` | `_${WordKind}`

/** One or more words that are no flags. */
export interface Operand {
  readonly kind: WordKind
  readonly least?: number
  /** Default: any number. */
  readonly most?: number
  /** Flags that take its place, such as `-e` that of the pattern of grep. */
  readonly unless?: readonly string[]
}

/**
 * What a word is. `text`, `pattern`, `expression`: data that no program takes for a file. `path`: a file or folder that is
 * read. `file`: a file that is read. `written`: a file that is there and is written. `revision`: of a repository, or a path in
 * it. `test`: a path, with the names of tests in it behind `::`.
 */
export type WordKind =
  | 'text'
  | 'pattern'
  | 'expression'
  | 'format'
  | 'number'
  | 'count'
  | 'lines'
  | 'name'
  | 'branch'
  | 'revision'
  | 'path'
  | 'file'
  | 'written'
  | 'test'
  | `one of ${string}`

/** A word that names a place, for the check against the workspace. A revision counts as a path that is read. */
export interface PlaceWord {
  readonly word: string
  readonly kind: 'path' | 'file' | 'written'
}
