import type { CommandList, ListedCommand } from '../api/commands.ts'
import { type ChoiceList, type ModelList, type OptionList, useResource } from '../api/resources.ts'
import { argumentCompletions, completions, typedArgument } from './slash-commands.ts'

/** What completes the line that is typed: the names of commands, then the models or the options of a choice. */
export function useCompletions(text: string, list: CommandList | undefined): readonly ListedCommand[] | undefined {
  const argument = typedArgument(text)
  const { data: offered } = useResource<ChoiceList>('/api/choices', { revalidateOnFocus: false })
  const isChoice = offered?.choices.some(({ name }) => name === argument?.name)
  const { data: models } = useResource<ModelList>(argument?.name === 'model' ? '/api/models' : undefined)
  const { data: choice } = useResource<OptionList>(
    isChoice ? `/api/choices/${encodeURIComponent(argument!.name)}` : undefined,
  )
  if (argument === undefined) return completions(text, list)
  return argumentCompletions(argument, choice?.options ?? models?.models ?? [])
}
