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
