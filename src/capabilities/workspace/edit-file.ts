import type { Tool } from '../../tool.ts'
import { type Change, changePlan } from './change-plan.ts'
import { MOST_FILE_BYTES, type WorkspaceOptions } from './text-file.ts'

interface EditInput {
  readonly path: string
  readonly old_text: string
  readonly new_text: string
  readonly replace_all?: boolean
}

export function editFileTool(options: WorkspaceOptions): Tool {
  return {
    name: 'edit_file',
    description:
      'Replace old_text in a file by new_text. old_text must stand there exactly, and once unless replace_all.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        old_text: { type: 'string', minLength: 1 },
        new_text: { type: 'string' },
        replace_all: { type: 'boolean' },
      },
      required: ['path', 'old_text', 'new_text'],
      additionalProperties: false,
    },
    approval: 'ask',
    // A failure shows lines of the file.
    origin: 'file',
    readsFrom: ({ path }) => [String(path)],
    results: 'own',
    plan(input) {
      const edit = input as EditInput
      return changePlan(options, edit.path, (shown, before) => {
        if (before === undefined) return refuseEdit(`${shown} does not exist; write_file creates a file`)
        return editText(shown, before, edit)
      })
    },
  }
}

function editText(shown: string, before: string, { old_text, new_text, replace_all = false }: EditInput): Change {
  const count = countOccurrences(before, old_text)
  if (count === 0) return refuseEdit(`old_text does not stand in ${shown}${nearestText(before, old_text)}`)
  if (count > 1 && !replace_all) {
    return refuseEdit(
      `old_text stands ${count} times in ${shown}: add lines around it until it is unique, or set replace_all`,
    )
  }
  if (before.length + count * (new_text.length - old_text.length) > MOST_FILE_BYTES) {
    return refuseEdit(`${shown} would grow beyond the ${MOST_FILE_BYTES} bytes that are written`)
  }
  // A function, so that `$&` in a text is nothing but that.
  const text = before.replaceAll(old_text, () => new_text)
  return { type: 'text', text, said: `edited ${shown} (${count === 1 ? '1 place' : `${count} places`})` }
}

function countOccurrences(text: string, wanted: string): number {
  let count = 0
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) count += 1
  return count
}

function refuseEdit(why: string): Change {
  return { type: 'refused', why }
}

/** Characters of a file that are shown as the nearest text. */
const SHOWN = 400

/** Larger texts are not compared line by line. */
const MOST_TEXT = 1_000_000
const MOST_WANTED = 10_000
const MOST_COMPARISONS = 20_000_000

/** As the end of a sentence for the model. */
function nearestText(text: string, wanted: string): string {
  if (text.includes('\r\n') && text.includes(wanted.replace(/\r?\n/g, '\r\n'))) {
    return ': its lines end in \\r\\n, those of old_text in \\n'
  }
  if (text.length > MOST_TEXT || wanted.length > MOST_WANTED) return '; read the file again'
  const lines = text.split('\n')
  const asked = wanted.split('\n').map(squeezeSpaces)
  if (lines.length * asked.length > MOST_COMPARISONS) return '; read the file again'
  const found = findLines(lines.map(squeezeSpaces), trimBlankLines(asked))
  if (found !== undefined) {
    return `: from line ${found + 1} on it is the same but for spaces:\n${excerpt(lines, found, asked.length)}`
  }
  const first = asked.find((line) => line !== '') ?? ''
  const like = lines.findIndex((line) => first !== '' && squeezeSpaces(line) === first)
  if (like !== -1) return `: only its first line does, at line ${like + 1}:\n${excerpt(lines, like, asked.length)}`
  return ', nor does its first line; read the file again'
}

function squeezeSpaces(line: string): string {
  return line.replace(/\s+/g, ' ').trim()
}

function trimBlankLines(lines: readonly string[]): readonly string[] {
  const [first, last] = [lines.findIndex((line) => line !== ''), lines.findLastIndex((line) => line !== '')]
  return first === -1 ? [] : lines.slice(first, last + 1)
}

function findLines(lines: readonly string[], asked: readonly string[]): number | undefined {
  if (asked.length === 0) return undefined
  const place = lines.findIndex((_, start) => asked.every((line, index) => lines[start + index] === line))
  return place === -1 ? undefined : place
}

function excerpt(lines: readonly string[], start: number, count: number): string {
  return lines
    .slice(start, start + count)
    .join('\n')
    .slice(0, SHOWN)
    .toWellFormed()
}

interface WriteInput {
  readonly path: string
  readonly content: string
}

export function writeFileTool(options: WorkspaceOptions): Tool {
  return {
    name: 'write_file',
    description: 'Create a text file, or replace all of one. Missing folders are made.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    approval: 'ask',
    // It answers in its own words.
    origin: 'operator',
    results: 'own',
    plan(input) {
      const { path, content } = input as WriteInput
      return changePlan(options, path, (shown, before) => {
        const done = before === undefined ? 'created' : 'replaced'
        const bytes = Buffer.byteLength(content)
        return { type: 'text', text: content, said: `${done} ${shown} (${bytes} ${bytes === 1 ? 'byte' : 'bytes'})` }
      })
    },
  }
}
