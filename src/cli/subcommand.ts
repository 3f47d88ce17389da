import type { Command, CommandCall, Io } from '../capability.ts'
import { nearestName } from '../platform.ts'
import { refuseTools, usageFailure, usageText } from './failure.ts'

/** One action of a command, named by the first argument, such as `list` in `foreword sessions list`. */
export interface Subcommand {
  /** How many arguments may follow its name. */
  readonly least: number
  readonly most: number
  /** What a model would do with it; absent where a model may. Completes the sentence "a model cannot …". */
  readonly forPersons?: string
  readonly run: (call: CommandCall, io: Io) => Promise<number>
}

/**
 * Runs the subcommand that the first argument of a call names, or `first` where there is none. Throws a usage failure for
 * an unknown name or a wrong number of arguments.
 */
export async function runSubcommand(
  command: Pick<Command, 'name' | 'usage'>,
  subcommands: Readonly<Record<string, Subcommand>>,
  first: string,
  call: CommandCall,
  io: Io,
): Promise<number> {
  const [name = first, ...words] = call.words
  const found = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
  if (found === undefined) throw unknownSubcommand(command.name, name, Object.keys(subcommands))
  if (words.length < found.least || words.length > found.most) {
    const prefix = `${command.name} ${name}`
    const forms = command.usage.filter((line) => `${line.replaceAll(/[[\]]/g, '')} `.startsWith(`${prefix} `))
    const problem = words.length < found.least ? 'An argument is missing.' : `Unexpected argument "${words.at(-1)}".`
    throw usageFailure(problem, usageText(forms.length > 0 ? forms : command.usage))
  }
  if (found.forPersons !== undefined) refuseTools(io, found.forPersons)
  return await found.run(call, io)
}

function unknownSubcommand(command: string, name: string, names: readonly string[]) {
  const near = nearestName(name, names)
  return usageFailure(
    `Unknown subcommand "${name}".`,
    near === undefined ? `Use one of ${names.join(', ')}.` : `Did you mean \`foreword ${command} ${near}\`?`,
  )
}
