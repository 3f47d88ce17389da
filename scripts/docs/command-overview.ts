import type { AnyCapability, CapabilityOverview } from '../../src/capability.ts'
import { allCommands } from '../../src/cli/commands.ts'
import { defined } from '../../src/platform.ts'
import { sessionChoices } from '../../src/cli/session-choices.ts'

/** What the command line knows of capabilities before it loads them: the facts of `src/foreword/overview.json`. */
export async function commandOverview(
  capabilities: readonly AnyCapability[],
): Promise<Omit<CapabilityOverview, 'load'>> {
  const source = { capabilities }
  const commands = Object.entries(allCommands(source)).map(async ([name, load]) => {
    const { summary, group, movedTo } = await load(source)
    return [name, { summary, ...defined({ group, movedTo }) }] as const
  })
  const choices = sessionChoices(source).map(({ name, summary, none, several }) => {
    return [name, { summary, none, ...(several && { several }) }] as const
  })
  return { commands: Object.fromEntries(await Promise.all(commands)), choices: Object.fromEntries(choices) }
}
