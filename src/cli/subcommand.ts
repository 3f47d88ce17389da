import type { Command, CommandCall, Io } from '../capability.ts'
import { nearestHint } from '../platform.ts'
import { jsonOption } from './arguments.ts'
import { refuseTools, usageFailure, usageText } from './failure.ts'

/** One action of a command, named by the first argument, such as `list` in `foreword sessions list`. */
export interface Subcommand {
  /**
   * What follows its name in each of its forms: arguments, then options, such as `ID [--json]`. It is also the rule for
   * how many arguments are valid: `NAME` is required, `[NAME]` and `(NAME | --option)` may be absent, `NAME…` may repeat.
   */
  readonly usage?: string | readonly string[]
  /** What a model would do with it; absent where a model may. Completes the sentence "a model cannot …". */
  readonly forPersons?: string
  readonly run: (call: CommandCall, io: Io) => Promise<number>
}

/** A command that consists of subcommands. Every such command has the option `--json`. */
export interface SubcommandTable extends Pick<Command, 'name' | 'summary' | 'group' | 'details'> {
  readonly options?: Command['options']
  /** The subcommand that runs where none is named. */
  readonly first: string
  /** By name, in the order of help. */
  readonly subcommands: Readonly<Record<string, Subcommand>>
}

/** The command that a table describes. Throws a usage failure for an unknown subcommand or a wrong number of arguments. */
export function commandWithSubcommands({ first, subcommands, options = {}, ...command }: SubcommandTable): Command {
  const forms = (name: string) =>
    formsOf(subcommands[name]!).map((form) => `${command.name} ${formText(name, form, name === first)}`)
  return {
    ...command,
    usage: Object.keys(subcommands).flatMap(forms),
    words: { least: 0, most: Infinity },
    options: { ...options, json: options['json'] ?? jsonOption },
    async run(call, io) {
      const [name = first, ...words] = call.words
      const found = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
      if (found === undefined) throw unknownSubcommand(command.name, name, Object.keys(subcommands))
      checkCount(words, found, usageText(forms(name)))
      if (found.forPersons !== undefined) refuseTools(io, found.forPersons)
      return await found.run(call, io)
    },
  }
}

interface Form {
  readonly words: string
  readonly options: string
}

/** What stands before the first option are the arguments. */
function formsOf({ usage = '' }: Subcommand): readonly Form[] {
  return [usage].flat().map((form) => {
    const option = form.search(/\[?--/)
    return option === -1 ? { words: form, options: '' } : { words: form.slice(0, option), options: form.slice(option) }
  })
}

/** Brackets show that the first subcommand need not be named. */
function formText(name: string, { words, options }: Form, isFirst: boolean): string {
  const named = `${name} ${words}`.trim()
  return `${isFirst ? `[${named}]` : named} ${options}`.trim()
}

function checkCount(words: readonly string[], subcommand: Subcommand, usage: string): void {
  const counts = formsOf(subcommand).map((form) => form.words.split(' ').filter((word) => /\w/.test(word)))
  const least = Math.min(...counts.map((form) => form.filter((word) => /^\w/.test(word)).length))
  const most = Math.max(...counts.map((form) => (form.some((word) => word.includes('…')) ? Infinity : form.length)))
  if (words.length < least) throw usageFailure('An argument is missing.', usage)
  if (words.length > most) throw usageFailure(`Unexpected argument "${words.at(-1)}".`, usage)
}

function unknownSubcommand(command: string, name: string, names: readonly string[]) {
  const written = (near: string) => `\`foreword ${command} ${near}\``
  const hint = nearestHint(name, names, `Use one of ${names.join(', ')}.`, written)
  return usageFailure(`Unknown subcommand "${name}".`, hint)
}
