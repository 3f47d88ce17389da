import type { Command, CommandCall, Io } from '../../../capability.ts'
import {
  uploadAndPrint,
  withConnection,
  deleteRecord,
  editRecord,
  findRecord,
  jsonOption,
  listRecords,
  listVersions,
  newRecord,
  yesOption,
  projectResource,
  readNamedFile,
  restoreVersion,
  runSubcommand,
  showRecord,
  type Subcommand,
  usageFailure,
  useRecord,
} from '../../../cli.ts'
import { defined } from '../../../platform.ts'

export const projectsCommand: Command = {
  name: 'projects',
  summary: 'create, show and edit projects, and add files to them',
  usage: [
    'projects [list] [--json]',
    'projects show ID [--json]',
    'projects new --name NAME [--instructions TEXT]',
    'projects edit ID [--name NAME] [--instructions-file PATH]',
    'projects add ID FILE… [--json]',
    'projects delete ID [--yes]',
    'projects versions ID [--json]',
    'projects restore ID VERSION',
    'projects use [ID] --session SESSION',
  ],
  details:
    'A project has instructions, which the default agent reads, and files: every request includes all of them while they ' +
    'fit; otherwise the agent searches them. ID is an id, a name, or an unambiguous beginning of either. `use` without an ' +
    'ID removes a session from its project.',
  words: { least: 0, most: Infinity },
  options: {
    name: { value: 'NAME', summary: 'its name' },
    instructions: { value: 'TEXT', summary: 'what the default agent reads in it' },
    'instructions-file': { value: 'PATH', summary: 'the instructions from a file, or `-`' },
    session: { value: 'ID', summary: 'use: the session that belongs to it from now on' },
    yes: yesOption,
    json: jsonOption,
  },
  run: (call, io) => runSubcommand(projectsCommand, subcommands, 'list', call, io),
}

const forPersons = 'change projects'

const subcommands: Readonly<Record<string, Subcommand>> = {
  list: { least: 0, most: 0, run: (call, io) => listRecords(projectResource, call, io) },
  show: { least: 1, most: 1, run: (call, io) => showRecord(projectResource, call, io) },
  new: { least: 0, most: 1, forPersons, run: (call, io) => newRecord(projectResource, projectFields, call, io) },
  edit: { least: 1, most: 1, forPersons, run: (call, io) => editRecord(projectResource, projectFields, call, io) },
  add: { least: 2, most: Infinity, forPersons, run: addToProject },
  delete: { least: 1, most: 1, forPersons, run: (call, io) => deleteRecord(projectResource, call, io) },
  versions: { least: 1, most: 1, run: (call, io) => listVersions(projectResource, call, io) },
  restore: { least: 2, most: 2, forPersons, run: (call, io) => restoreVersion(projectResource, call, io) },
  use: { least: 0, most: 1, forPersons, run: (call, io) => useRecord(projectResource, call, io) },
}

/** Adds files to a project. */
async function addToProject(call: CommandCall, io: Io): Promise<number> {
  const [, word, ...paths] = call.words
  return await withConnection(call.home, io, 'write', async (connection) => {
    const { id } = await findRecord(connection, projectResource, word!)
    return await uploadAndPrint(connection, paths, { project: id }, call, io)
  })
}

/** The fields of a project from the options. */
async function projectFields(call: CommandCall, io: Io): Promise<Readonly<Record<string, unknown>>> {
  const file = call.text('instructions-file')
  const text = call.text('instructions')
  if (file !== undefined && text !== undefined) {
    throw usageFailure(
      'The instructions are given twice.',
      'Write `--instructions TEXT` or `--instructions-file PATH`.',
    )
  }
  return defined({ name: call.text('name'), instructions: file === undefined ? text : await readNamedFile(file, io) })
}
