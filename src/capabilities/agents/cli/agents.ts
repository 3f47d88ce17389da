import {
  agentResource,
  deleteRecord,
  editRecord,
  jsonOption,
  listRecords,
  listVersions,
  newRecord,
  yesOption,
  readNamedFile,
  restoreVersion,
  runSubcommand,
  showRecord,
  type Subcommand,
  usageFailure,
  useRecord,
} from '../../../cli.ts'
import type { Command, CommandCall, Io } from '../../../capability.ts'

export const agentsCommand: Command = {
  name: 'agents',
  summary: 'create, show, edit and use custom agents',
  usage: [
    'agents [list] [--json]',
    'agents show ID [--json]',
    'agents new --name NAME [--prompt TEXT] [--mode MODE] [--reminder TEXT] [--tools A,B] [--model ID] [--layout NAME]',
    'agents edit ID [--prompt-file PATH] [--without FIELD]',
    'agents delete ID [--yes]',
    'agents versions ID [--json]',
    'agents restore ID VERSION',
    'agents use [ID] --session SESSION',
  ],
  details:
    'An agent has a prompt of its own, beside the system prompt (`append`) or in its place (`replace`). ID is an id, a ' +
    'name, or an unambiguous beginning of either. Every edit makes a version; `restore` also brings back a deleted agent. ' +
    '`use` without an ID returns a session to the default agent. Add files to an agent with ' +
    '`foreword files add --agent ID`.',
  words: { least: 0, most: 3 },
  options: {
    name: { value: 'NAME', summary: 'its name' },
    prompt: { value: 'TEXT', summary: 'its own prompt' },
    'prompt-file': { value: 'PATH', summary: 'the prompt from a file, or `-`' },
    mode: { value: 'MODE', summary: 'append (beside the system prompt) or replace (in its place)' },
    reminder: { value: 'TEXT', summary: 'repeated at the very end of every request' },
    tools: { value: 'A,B', summary: 'the tools it may use, among the allowed ones; `x*` means all that begin with x' },
    model: { value: 'ID', summary: 'the model that answers for it' },
    layout: { value: 'NAME', summary: 'the layout of its requests' },
    without: { value: 'FIELD', summary: 'remove its reminder, tools, model or layout; may be repeated' },
    session: { value: 'ID', summary: 'use: the session that it answers in' },
    yes: yesOption,
    json: jsonOption,
  },
  run: (call, io) => runSubcommand(agentsCommand, subcommands, 'list', call, io),
}

const forPersons = 'change agents'

const subcommands: Readonly<Record<string, Subcommand>> = {
  list: { least: 0, most: 0, run: (call, io) => listRecords(agentResource, call, io) },
  show: { least: 1, most: 1, run: (call, io) => showRecord(agentResource, call, io) },
  new: { least: 0, most: 1, forPersons, run: (call, io) => newRecord(agentResource, agentFields, call, io) },
  edit: { least: 1, most: 1, forPersons, run: (call, io) => editRecord(agentResource, agentFields, call, io) },
  delete: { least: 1, most: 1, forPersons, run: (call, io) => deleteRecord(agentResource, call, io) },
  versions: { least: 1, most: 1, run: (call, io) => listVersions(agentResource, call, io) },
  restore: { least: 2, most: 2, forPersons, run: (call, io) => restoreVersion(agentResource, call, io) },
  use: { least: 0, most: 1, forPersons, run: (call, io) => useRecord(agentResource, call, io) },
}

/** The fields that can be removed. */
const optional: readonly string[] = ['reminder', 'tools', 'model', 'layout']

/** The fields of an agent from the options; `null` for a field to remove. */
async function agentFields(call: CommandCall, io: Io): Promise<Readonly<Record<string, unknown>>> {
  const file = call.text('prompt-file')
  const text = call.text('prompt')
  if (file !== undefined && text !== undefined) {
    throw usageFailure('The prompt is given twice.', 'Write `--prompt TEXT` or `--prompt-file PATH`.')
  }
  const given = {
    name: call.text('name'),
    prompt: file === undefined ? text : await readNamedFile(file, io),
    mode: call.text('mode'),
    reminder: call.text('reminder'),
    tools: call
      .text('tools')
      ?.split(',')
      .map((tool) => tool.trim())
      .filter((tool) => tool !== ''),
    model: call.text('model'),
    layout: call.text('layout'),
  }
  const removed = call.texts('without').map((field) => [removableField(field), null])
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...Object.fromEntries(removed),
  }
}

function removableField(field: string): string {
  if (optional.includes(field)) return field
  throw usageFailure(`Cannot remove ${field}.`, `Choose one of ${optional.join(', ')}.`)
}
