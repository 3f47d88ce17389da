import type { Command, CommandCall, Io } from '../capability.ts'
import { usageFailure } from './failure.ts'
import { refuseTools } from './failure.ts'
import { nearestName } from '../platform.ts'

/** One thing that a command can do, named by its first word. */
export interface Subcommand {
  /** How many words follow its name. */
  readonly least: number
  readonly most: number
  /** What a model would do with it; absent where it may. */
  readonly forPersons?: string
  readonly run: (call: CommandCall, io: Io) => Promise<number>
}

/** Does what the first word of a call names; `first` where there is none. */
export async function runSubcommand(
  command: Pick<Command, 'name' | 'usage'>,
  subcommands: Readonly<Record<string, Subcommand>>,
  first: string,
  call: CommandCall,
  io: Io,
): Promise<number> {
  const [name = first, ...words] = call.words
  const found = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
  if (found === undefined) throw unknown(command.name, name, Object.keys(subcommands))
  if (words.length < found.least || words.length > found.most) {
    const usage = command.usage.find((line) => line.replaceAll(/[[\]]/g, '').startsWith(`${command.name} ${name}`))
    const count = words.length < found.least ? 'more' : 'fewer'
    throw usageFailure(
      `\`foreword ${command.name} ${name}\` takes ${count} words.`,
      `Write \`foreword ${usage ?? command.usage[0]!}\`.`,
    )
  }
  if (found.forPersons !== undefined) refuseTools(io, found.forPersons)
  return await found.run(call, io)
}

function unknown(command: string, name: string, names: readonly string[]) {
  const near = nearestName(name, names)
  return usageFailure(
    `\`foreword ${command}\` cannot \`${name}\`.`,
    near === undefined ? `It can ${names.join(', ')}.` : `Did you mean \`foreword ${command} ${near}\`?`,
  )
}
