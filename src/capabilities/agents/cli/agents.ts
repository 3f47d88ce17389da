import { commandWithSubcommands, recordSubcommands, sharedWithOption, usageFailure, yesOption } from '../../../cli.ts'
import type { CommandCall } from '../../../capability.ts'
import { defined } from '../../../platform.ts'

export const agentsCommand = commandWithSubcommands({
  name: 'agents',
  group: 'set-up',
  summary: 'create, show, edit and use custom agents',
  details:
    'An agent has a prompt of its own, beside the system prompt (`append`) or in its place (`replace`). ID is an id, a ' +
    'name, or an unambiguous beginning of either. Every edit makes a version; `restore` also brings back a deleted agent. ' +
    '`use` without an ID returns a session to the default agent. Add files to an agent with ' +
    '`foreword files add --agent ID`.',
  options: {
    name: { value: 'NAME', summary: 'its name' },
    prompt: { value: 'TEXT', summary: 'its own prompt' },
    'prompt-file': { value: 'PATH', summary: 'the prompt from a file, or `-`' },
    mode: { value: 'MODE', summary: 'append (beside the system prompt) or replace (in its place)' },
    reminder: { value: 'TEXT', summary: 'repeated at the very end of every request' },
    tools: { value: 'A,B', summary: 'the tools it may use, among the allowed ones; `x*` means all that begin with x' },
    skills: { value: 'A,B', summary: 'the skills it may read and use; `x*` means all that begin with x' },
    model: { value: 'ID', summary: 'the model that answers for it' },
    layout: { value: 'NAME', summary: 'the layout of its requests' },
    without: { value: 'FIELD', summary: 'remove its reminder, tools, skills, model or layout; may be repeated' },
    session: { value: 'ID', summary: 'use: the session that it answers in' },
    'shared-with': sharedWithOption,
    yes: yesOption,
  },
  first: 'list',
  subcommands: recordSubcommands({
    name: 'agent',
    text: 'prompt',
    columns: ['mode', 'model'],
    fields: agentFields,
    usage: {
      new: '[--prompt TEXT] [--mode MODE] [--reminder TEXT] [--tools A,B] [--skills A,B] [--model ID] [--layout NAME] [--shared-with A,B]',
      edit: '[--prompt-file PATH] [--without FIELD]',
    },
  }),
})

const optional: readonly string[] = ['reminder', 'tools', 'skills', 'model', 'layout']

function agentFields(call: CommandCall): Readonly<Record<string, unknown>> {
  const [mode, reminder, model, layout] = ['mode', 'reminder', 'model', 'layout'].map(call.text)
  const [tools, skills] = ['tools', 'skills'].map((key) =>
    call
      .text(key)
      ?.split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  )
  const removed = call.texts('without').map((field) => [removableField(field), null])
  return { ...defined({ mode, reminder, tools, skills, model, layout }), ...Object.fromEntries(removed) }
}

function removableField(field: string): string {
  if (optional.includes(field)) return field
  throw usageFailure(`Cannot remove ${field}.`, `Choose one of ${optional.join(', ')}.`)
}
