import { type AutocompleteItem, type AutocompleteProvider, fuzzyFilter } from '@earendil-works/pi-tui'
import { exactLine } from '../exact-text.ts'
import { workingFiles } from './working-files.ts'

/** A command that can be completed, without its slash. */
export interface CompletableCommand {
  readonly name: string
  readonly summary: string
}

/** Completes `/commands` at the beginning of a message and `@files` of the working directory anywhere in it. */
export function completion(commands: readonly CompletableCommand[], directory: string): AutocompleteProvider {
  function commandItems(written: string): readonly AutocompleteItem[] {
    return commands
      .filter(({ name }) => name.startsWith(written))
      .map(({ name, summary }) => ({ value: name, label: `/${name}`, description: summary }))
  }

  /** The folder is read when a mention begins, not with each key of it. */
  let names: readonly string[] | undefined

  function fileItems(written: string): readonly AutocompleteItem[] {
    if (names === undefined || written === '') {
      names = workingFiles(directory).filter((name) => !UNWRITABLE.test(name))
    }
    return fuzzyFilter([...names], written, (name) => name)
      .slice(0, MOST)
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

const MOST = 50

/** A mention cannot hold a double quote, nor what ends or steers a line; `/file` takes such a name. */
// oxlint-disable-next-line no-control-regex -- what a file name may hold all the same
const UNWRITABLE = /["\u0000-\u0008\u000A-\u001F\u007F-\u009F\u2028\u2029]/

/** The whole mention, and what is written of the name: in quotes, or bare. */
const MENTION = /(?:^|[\s([{'"])(@(?:"([^"]*)|([^\s"]*)))$/

function found(items: readonly AutocompleteItem[], prefix: string) {
  return Promise.resolve(items.length === 0 ? null : { items: [...items], prefix })
}
