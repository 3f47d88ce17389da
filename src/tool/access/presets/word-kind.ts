import type { PlaceWord, WordKind } from './grammar.ts'

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
export function kindFault(word: string, kind: WordKind): string | undefined {
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
export function placesIn(word: string, kind: WordKind): readonly PlaceWord[] {
  const place = isChoice(kind) ? undefined : rules[kind].place
  if (place === undefined) return []
  // Behind the path of a test stand the names of tests in it.
  return [{ word: kind === 'test' ? (word.split('::')[0] ?? word) : word, kind: place }]
}

function isChoice(kind: WordKind): kind is `one of ${string}` {
  return kind.startsWith(CHOICE)
}
