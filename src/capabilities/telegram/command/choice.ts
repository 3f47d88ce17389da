import type { ChoiceOption } from '../../../capability.ts'
import type { ChatCommand } from './command.ts'
import { meantBy } from './meant-by.ts'

/** `/agent`, `/subject` and the like: lists what a session can choose, or chooses. `none`: what it means to choose none. */
export function choiceCommand(choice: string, none: string): ChatCommand {
  const chosen = (what: string) => `The ${choice} of this session is now: ${what}.`
  return {
    name: choice,
    summary: `the ${choice} of this session, or choose one`,
    argument: 'NAME|none',
    async run({ runtime, binding, argument }) {
      const session = await runtime.sessionFor(binding)
      if (argument?.toLowerCase() === 'none') {
        await runtime.choose(session, { [choice]: null })
        return chosen(none)
      }
      const now = (await runtime.store.session(session))?.choices[choice]
      const options = await runtime.choiceOptions(choice)
      if (argument === undefined) return listText(choice, none, options ?? [], now)
      const meant =
        options && meantBy(argument, options, ({ id, name, summary }) => ({ id, name: name ?? summary ?? id }))
      if (meant?.length === 0) return `There is no ${choice} named ${argument}. /${choice} lists them.`
      if (meant && meant.length > 1) {
        return [`Several ${choice}s begin with ${argument}:`, ...optionLines(meant, now)].join('\n')
      }
      const { id, name = id } = meant?.[0] ?? { id: argument }
      await runtime.choose(session, { [choice]: id })
      return chosen(name)
    },
  }
}

function listText(choice: string, none: string, options: readonly ChoiceOption[], now: string | undefined): string {
  const first = `${now === undefined ? '→' : '·'} none: ${none}`
  if (options.length === 0) return `${first}\n\nThere is no ${choice} to choose yet.`
  return [first, ...optionLines(options, now), '', `Choose one with /${choice} NAME.`].join('\n')
}

function optionLines(options: readonly ChoiceOption[], now: string | undefined): readonly string[] {
  const lines = options
    .slice(0, MOST)
    .map(({ id, name = id, summary }) => `${id === now ? '→' : '·'} ${name}${summary ? `: ${summary}` : ''}`)
  return options.length > MOST ? [...lines, `… and ${options.length - MOST} more`] : lines
}

/** Options of a list. */
const MOST = 30
