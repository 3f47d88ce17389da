/** The longest command that is parsed, characters: the time grows faster than the length. */
const LONGEST = 16_384

/** A command read into words, or what in it only a shell would understand. */
type CommandWords =
  | { readonly type: 'words'; readonly words: readonly string[] }
  | { readonly type: 'refused'; readonly why: string }

/**
 * Reads a command as a POSIX shell reads words: blanks separate them; single quotes, double quotes and backslashes make
 * characters literal. Nothing else is supported: what a shell would expand, join or redirect is refused by name
 * (BEHAVIOURS §2.4), so that the words are what the writer meant.
 */
export function commandWords(command: string): CommandWords {
  try {
    return { type: 'words', words: splitWords(command) }
  } catch (error) {
    if (error instanceof Refusal) return { type: 'refused', why: error.message }
    throw error
  }
}

class Refusal extends Error {}

function splitWords(command: string): readonly string[] {
  if (command.includes('\0')) throw new Refusal('a command cannot hold a NUL byte')
  if (command.length > LONGEST) {
    throw new Refusal(`the command has ${command.length} characters, more than the ${LONGEST} that are read`)
  }
  if (!command.isWellFormed()) throw new Refusal('the command holds half a character (a lone surrogate)')
  const words: string[] = []
  let at = 0
  while (at < command.length) {
    if (isBlank(command.charAt(at))) at += 1
    else {
      const { word, end } = wordFrom(command, at)
      if (words.length === 0 && /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(command.slice(at))) {
        throw onlyInShells(`${word.slice(0, word.indexOf('=') + 1)} (setting a variable)`)
      }
      words.push(word)
      at = end
    }
  }
  return words
}

function wordFrom(command: string, start: number): { readonly word: string; readonly end: number } {
  let word = ''
  let at = start
  while (at < command.length && !isBlank(command.charAt(at))) {
    const found = command.charAt(at)
    const piece =
      found === "'"
        ? singleQuoted(command, at)
        : found === '"'
          ? doubleQuoted(command, at)
          : found === '\\'
            ? escaped(command, at)
            : plain(command, at, start)
    word += piece.text
    at = piece.end
  }
  return { word, end: at }
}

interface Piece {
  readonly text: string
  readonly end: number
}

function singleQuoted(command: string, start: number): Piece {
  const close = command.indexOf("'", start + 1)
  if (close === -1)
    throw new Refusal("a single quote (') is never closed; write a lone one as \\' or within double quotes")
  return { text: command.slice(start + 1, close), end: close + 1 }
}

function doubleQuoted(command: string, start: number): Piece {
  let text = ''
  for (let at = start + 1; at < command.length; at += 1) {
    const found = command.charAt(at)
    const next = command.charAt(at + 1)
    if (found === '"') return { text, end: at + 1 }
    if (found === '$' || found === '`') throw onlyInShells(expansion(command, at))
    if (found === '\\' && next === '\n') throw onlyInShells('\\ before a line break (a continued line)')
    const takesNext = found === '\\' && next !== '' && '$`"\\'.includes(next)
    text += takesNext ? next : found
    if (takesNext) at += 1
  }
  throw new Refusal('a double quote (") is never closed; write a lone one as \\" or within single quotes')
}

function escaped(command: string, start: number): Piece {
  const [character] = command.slice(start + 1)
  if (character === undefined) throw new Refusal('a backslash (\\) stands at the end, before nothing')
  if (character === '\n') throw onlyInShells('\\ before a line break (a continued line)')
  return { text: character, end: start + 1 + character.length }
}

/** A character that no quote protects. */
function plain(command: string, at: number, wordStart: number): Piece {
  const found = command.charAt(at)
  const special = unquoted(command, at, wordStart)
  if (special !== undefined) throw onlyInShells(special)
  return { text: found, end: at + 1 }
}

const meanings: Readonly<Record<string, string>> = {
  ';': '; (one command after another)',
  '&': '& (running in the background)',
  '|': '| (a pipe)',
  '>': '> (writing output to a file)',
  '<': '< (reading input from a file)',
  '(': '( (a group of commands)',
  ')': ') (a group of commands)',
  '*': '* (a pattern of file names)',
  '?': '? (a pattern of file names)',
  '[': '[ (a pattern of file names)',
  '!': '! (negation or history)',
  '\n': 'a line break (one command after another)',
}

/** What a shell would make of an unquoted character; `undefined` where that is the character itself. */
function unquoted(command: string, at: number, wordStart: number): string | undefined {
  const found = command.charAt(at)
  const two = command.slice(at, at + 2)
  if (two === '&&') return '&& (one command after another)'
  if (two === '||') return '|| (one command or another)'
  if (two === '>>') return '>> (writing output to a file)'
  if (two === '<<') return '<< (a text as input)'
  if (found === '$' || found === '`') return expansion(command, at)
  if (found === '#' && at === wordStart) return '# (a comment)'
  if (found === '~' && (at === wordStart || command.charAt(at - 1) === '=')) return "~ (somebody's home)"
  if (found === '{' && /^\{(?:[^\s}]*(?:,|\.\.)|\s|$)/.test(command.slice(at))) return '{ (a choice of words)'
  if (found === '}' && at === wordStart && /^\}(?:\s|$)/.test(command.slice(at))) return '} (a group of commands)'
  return Object.hasOwn(meanings, found) ? meanings[found] : undefined
}

function expansion(command: string, at: number): string {
  const found = command.slice(at, at + 2)
  if (found.startsWith('`')) return '` (the output of a command)'
  if (found === '$(') return '$( (the output of a command)'
  if (found === '${') return '${ (a variable)'
  return '$ (a variable)'
}

function onlyInShells(found: string): Refusal {
  return new Refusal(
    `no shell runs here, and only a shell would understand ${found}: give one program with its arguments, and put what is meant literally in single quotes`,
  )
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t'
}
