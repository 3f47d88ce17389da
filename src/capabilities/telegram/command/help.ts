import type { ChatCommand } from './command.ts'

/** The command that lists the others. */
export function helpWith(others: readonly ChatCommand[]): ChatCommand {
  const help: ChatCommand = {
    name: 'help',
    summary: 'this list',
    run: async () => [...others, help].map(commandLine).join('\n'),
  }
  return help
}

function commandLine({ name, argument, summary }: ChatCommand): string {
  return `/${name}${argument === undefined ? '' : ` [${argument}]`}: ${summary}`
}
