import { exactLine } from '../../context.ts'
import { type Dirent, opendirSync } from 'node:fs'
import { join } from 'node:path'
import { type AutocompleteItem, type AutocompleteProvider, fuzzyFilter } from '@earendil-works/pi-tui'

interface CompletableCommand {
  readonly name: string
  readonly summary: string
}

/** Completes `/commands` at the beginning of a message and `@files` of the working directory anywhere in it. */
export function messageCompletion(commands: readonly CompletableCommand[], directory: string): AutocompleteProvider {
  function commandItems(written: string): readonly AutocompleteItem[] {
    return commands
      .filter(({ name }) => name.startsWith(written))
      .map(({ name, summary }) => ({ value: name, label: `/${name}`, description: summary }))
  }

  /** The folder is read when a mention begins, not with every key. */
  let names: readonly string[] | undefined

  function fileItems(written: string): readonly AutocompleteItem[] {
    if (names === undefined || written === '') names = workingFiles(directory).filter((name) => !UNWRITABLE.test(name))
    return fuzzyFilter([...names], written, (name) => name)
      .slice(0, MOST_SUGGESTIONS)
      .map((name) => ({ value: name, label: exactLine(name) }))
  }

  return {
    getSuggestions(lines, line, column) {
      const before = (lines[line] ?? '').slice(0, column)
      const mention = MENTION.exec(before)
      if (mention !== null) return found(fileItems(mention[2] ?? mention[3] ?? ''), mention[1]!)
      names = undefined
      const command = line === 0 ? /^\/(\w*)$/.exec(before) : null
      return command === null ? Promise.resolve(null) : found(commandItems(command[1]!), before)
    },
    applyCompletion(lines, line, column, { value }, prefix) {
      const whole = lines[line] ?? ''
      const before = whole.slice(0, column - prefix.length)
      const put = prefix.startsWith('@') ? (/[\s"]/.test(value) ? `@"${value}" ` : `@${value} `) : `/${value} `
      const after = whole.slice(column).replace(/^"? ?/, '')
      return {
        lines: lines.with(line, `${before}${put}${after}`),
        cursorLine: line,
        cursorCol: before.length + put.length,
      }
    },
  }
}

const MOST_SUGGESTIONS = 50

/** A mention cannot contain a double quote, a line break or a control character; `/file` accepts such a name. */
// oxlint-disable-next-line no-control-regex -- a file name may contain them
const UNWRITABLE = /["\u0000-\u0008\u000A-\u001F\u007F-\u009F\u2028\u2029]/

/** The whole mention, and the name so far: in quotes, or bare. */
const MENTION = /(?:^|[\s([{'"])(@(?:"([^"]*)|([^\s"]*)))$/

function found(items: readonly AutocompleteItem[], prefix: string) {
  return Promise.resolve(items.length === 0 ? null : { items: [...items], prefix })
}

/** How many files and folders are read for one list. */
const MOST_LOOKED_AT = 5_000

/** Files below a folder as written after `@`, the nearest first; not the hidden ones, `node_modules`, or all of a large folder. */
export function workingFiles(directory: string): readonly string[] {
  const files: string[] = []
  let folders = ['']
  let looked = 0
  while (folders.length > 0 && looked < MOST_LOOKED_AT) {
    const deeper: string[] = []
    for (const folder of folders) {
      for (const entry of entriesOf(join(directory, folder), MOST_LOOKED_AT - looked)) {
        looked += 1
        if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
        const name = folder === '' ? entry.name : `${folder}/${entry.name}`
        if (entry.isDirectory()) deeper.push(name)
        else if (entry.isFile()) files.push(name)
      }
    }
    folders = deeper.toSorted()
  }
  return files.toSorted((one, other) => depth(one) - depth(other) || (one < other ? -1 : 1))
}

function depth(name: string): number {
  return name.split('/').length
}

function entriesOf(folder: string, most: number): readonly Dirent[] {
  const entries: Dirent[] = []
  try {
    const open = opendirSync(folder)
    try {
      for (let entry = open.readSync(); entry !== null && entries.length < most; entry = open.readSync())
        entries.push(entry)
    } finally {
      open.closeSync()
    }
  } catch {
    return entries
  }
  return entries
}
