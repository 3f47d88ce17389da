import type { CommandCall, Io } from '../../../capability.ts'
import {
  commandWithSubcommands,
  findRecord,
  recordSubcommands,
  sharedWithOption,
  uploadAndPrint,
  withConnection,
  yesOption,
} from '../../../cli.ts'

export const projectsCommand = commandWithSubcommands({
  name: 'projects',
  group: 'set-up',
  summary: 'create, show and edit projects, and add files to them',
  details:
    'A project has instructions, which the default agent reads, and files: every request includes all of them while they ' +
    'fit; otherwise the agent searches them. ID is an id, a name, or an unambiguous beginning of either. `use` without an ' +
    'ID removes a session from its project.',
  options: {
    name: { value: 'NAME', summary: 'its name' },
    instructions: { value: 'TEXT', summary: 'what the default agent reads in it' },
    'instructions-file': { value: 'PATH', summary: 'the instructions from a file, or `-`' },
    session: { value: 'ID', summary: 'use: the session that belongs to it from now on' },
    'shared-with': sharedWithOption,
    yes: yesOption,
  },
  first: 'list',
  subcommands: {
    ...recordSubcommands({
      name: 'project',
      text: 'instructions',
      usage: { new: '[--instructions TEXT] [--shared-with A,B]', edit: '[--name NAME] [--instructions-file PATH]' },
    }),
    add: { usage: 'ID FILE… [--json]', forPersons: 'change projects', run: addToProject },
  },
})

async function addToProject(call: CommandCall, io: Io): Promise<number> {
  const [, word, ...paths] = call.words
  return await withConnection(call.home, io, 'write', async (connection) => {
    const { id } = await findRecord(connection, 'project', word!)
    return await uploadAndPrint(connection, paths, { project: id }, call, io)
  })
}
