import { callCosts, costText, MOST_COUNTED_CALLS, type Runtime, sumCosts } from '../../capability.ts'
import { entrySentences, exactLine, outline } from '../../context.ts'
import { defined } from '../../platform.ts'
import { HttpFailure } from '../failure.ts'
import type { ChoiceDescriptions } from '../session-choices.ts'
import type { ServedCommand } from './served-command.ts'

/** The commands of the host itself, and one for each choice of a session. */
export function conversationCommands(runtime: Runtime, choices: ChoiceDescriptions): readonly ServedCommand[] {
  return [
    undoCommand(runtime),
    contextCommand(runtime),
    costCommand(runtime),
    modelCommand(runtime),
    ...Object.entries(choices).map(([name, choice]) => choiceCommand(runtime, name, choice)),
    toolsCommand(runtime),
  ]
}

const undoCommand = (runtime: Runtime): ServedCommand => ({
  name: 'undo',
  summary: 'undo the last message and its answer, so that the model no longer reads them',
  async run({ session }) {
    if (session === undefined) throw new HttpFailure('not-found', 'This conversation has no turn to undo yet.')
    const { text } = await runtime.undo(session)
    return { text: `Undone: ${exactLine(text).slice(0, 80)}\nThe model no longer reads it. Effects of tools remain.` }
  },
})

const contextCommand = (runtime: Runtime): ServedCommand => ({
  name: 'context',
  summary: 'show what the next call would send, piece by piece',
  shows: 'always',
  async run({ session }) {
    const { manifest } = await runtime.preview(defined({ session }))
    const sentences = entrySentences(manifest)
    return { text: [outline(manifest), ...(sentences.length === 0 ? [] : ['', ...sentences])].join('\n') }
  },
})

const costCommand = (runtime: Runtime): ServedCommand => ({
  name: 'cost',
  summary: 'show what the calls of this session used and cost',
  shows: 'always',
  async run({ session }) {
    if (session === undefined) return { text: 'No calls yet.' }
    const calls = await runtime.store.calls(session, { last: MOST_COUNTED_CALLS })
    const costOf = await callCosts(runtime, calls)
    const counted = calls.map((call) => defined({ usage: call.outcome?.usage, paid: costOf(call) }))
    return { text: costText(sumCosts(counted)) }
  },
})

const modelCommand = (runtime: Runtime): ServedCommand => ({
  name: 'model',
  argument: '[ID]',
  summary: 'set the model of this session, or list the models',
  shows: 'alone',
  async run({ argument, session }) {
    if (argument === '') {
      const lines = (await runtime.models()).map(({ id, ready, why }) => (ready ? id : `${id} (${why ?? 'not ready'})`))
      return { text: lines.join('\n') }
    }
    const model = argument === 'none' ? undefined : argument
    if (session !== undefined) await runtime.setModel(session, model)
    const changed = session ?? (await runtime.newSession(defined({ model }))).id
    return { text: `Set the model of this session to ${model ?? 'the configured one'}.`, session: changed }
  },
})

/** A command such as `/agent`: lists the options, or sets one from the next turn on; `none` removes it. */
function choiceCommand(runtime: Runtime, choice: string, { none, find }: ChoiceDescriptions[string]): ServedCommand {
  return {
    name: choice,
    argument: '[ID]',
    summary: `set the ${choice} of this session (\`none\`: ${none}), or list the options`,
    shows: 'alone',
    async run({ argument, session }) {
      if (argument === '') return { text: await optionList(runtime, choice) }
      const id = argument === 'none' ? null : ((await find?.(argument)) ?? argument)
      if (session !== undefined) await runtime.choose(session, { [choice]: id })
      const chosen = id === null ? {} : { choices: { [choice]: id } }
      const changed = session ?? (await runtime.newSession(chosen)).id
      return { text: `Set the ${choice} of this session to ${id ?? none}.`, session: changed }
    },
  }
}

async function optionList(runtime: Runtime, choice: string): Promise<string> {
  const options = await runtime.choiceOptions(choice)
  if (options === undefined) return `The options cannot be listed. Write /${choice} ID.`
  if (options.length === 0) return `No ${choice}s yet.`
  return options
    .map(({ id, name, summary }) => [id, name, summary].flatMap((text) => (text ? [exactLine(text)] : [])).join(' · '))
    .join('\n')
}

const toolsCommand = (runtime: Runtime): ServedCommand => ({
  name: 'tools',
  summary: 'list the tools and their access',
  shows: 'always',
  run: async () => ({ text: (await runtime.tools()).map(({ name, access }) => `${name}: ${access}`).join('\n') }),
})
