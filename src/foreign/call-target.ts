import { exactLine } from '../context.ts'
import { fieldsOf, redactSecrets, elementsOf } from '../platform.ts'
import type { Recogniser, TargetRule } from './recognisers/recogniser.ts'
import { textOf } from '../wire.ts'

/** What a call of a tool is about, as people call it: a path, a command, an address. */
export interface CallTarget {
  readonly kind: TargetRule['kind']
  readonly name: string
}

const LONGEST = 120

/** Finds the file or the command that a call names; `undefined` where it names none. Keys in a command are not shown. */
export function callTarget(tool: string, input: unknown, tables: readonly Recogniser[]): CallTarget | undefined {
  const plain = tool.slice(tool.lastIndexOf('.') + 1)
  const patched = patchedFile(textOf(input) ?? textOf(fieldsOf(input)['input']))
  if (patched !== undefined) return { kind: 'file', name: shown(patched) }
  for (const { tool: of, field, kind } of tables.flatMap(({ targets }) => targets)) {
    if (of && !of.test(plain) && !of.test(tool)) continue
    const value = valueOf(fieldsOf(input)[field])
    if (value === undefined || value.trim() === '') continue
    const file = kind === 'command' ? readFile(value) : undefined
    return file === undefined ? { kind, name: shown(value) } : { kind: 'file', name: shown(file) }
  }
  return undefined
}

/** A text, or the command of an argument list: the last argument of a shell is the whole of it. */
function valueOf(value: unknown): string | undefined {
  // Cline reads several files at once.
  const words = elementsOf(value).map((word) => textOf(word) ?? textOf(fieldsOf(word)['path']))
  if (words.length === 0) return textOf(value)
  if (!words.every((word): word is string => typeof word === 'string')) return undefined
  return /(?:^|\/)(?:ba|z|da)?sh$/.test(words[0]!) ? words.at(-1) : words.join(' ')
}

const reading = /^\s*(?:cat|nl|bat|less|more|head|tail|type|Get-Content|sed)\b(?<rest>[^|;&<>`$\n]{1,400})$/

/** The file that a command prints and nothing else; `undefined` for any other command. */
function readFile(command: string): string | undefined {
  const rest = reading.exec(command.slice(0, 500))?.groups?.['rest']
  if (rest === undefined || command.length > 500) return undefined
  const words = rest.match(/'[^']*'|"[^"]*"|\S+/g) ?? []
  const files = words.filter((word) => !/^(?:-.*|['"]?[\d,$+]+p?['"]?)$/.test(word))
  return files.length === 1 ? files[0]!.replaceAll(/^['"]|['"]$/g, '') : undefined
}

/** The first file of a patch in the form of apply_patch. */
function patchedFile(text: string | undefined): string | undefined {
  return text === undefined
    ? undefined
    : /^\*\*\* (?:Update|Add|Delete) File: (?<file>[^\n]{1,400})/m.exec(text.slice(0, SEARCHED))?.groups?.['file']
}

/** Characters of a patch in which its file is looked for. */
const SEARCHED = 4_000

function shown(text: string): string {
  const line = redactSecrets(exactLine(text.slice(0, 2 * LONGEST).toWellFormed()), [])
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1).toWellFormed()}…` : line
}
