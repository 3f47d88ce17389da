import { jsonOption, runSubcommand, type Subcommand } from '../../../cli.ts'
import type { Command } from '../../../capability.ts'
import { addFiles } from './add.ts'
import { listFiles } from './list.ts'
import { removeFile } from './remove.ts'
import { showFile, showText } from './show.ts'

export const files: Command = {
  name: 'files',
  summary: 'hand files in, list, read and remove them',
  usage: [
    'files [list] [--project ID | --agent ID | --session ID] [--json]',
    'files add PATH… [--project ID | --agent ID | --session ID] [--json]',
    'files show ID [--json]',
    'files text ID',
    'files remove ID [--yes]',
  ],
  details:
    'A file is stored first, then its text is taken out and its tokens are counted, then it can be searched. `add` waits ' +
    'until it is read, and says of each file what became of it; the exit code is 1 where one could not be read. What ' +
    'breaks off goes on at the next start. Without a project, an agent or a session a file waits for a message: ' +
    '`foreword send --file PATH` does both. ID is its id, its name, or the beginning of either where only one begins so.',
  words: { least: 0, most: Infinity },
  options: {
    project: { value: 'ID', summary: 'files of this project (its id or name)' },
    agent: { value: 'ID', summary: 'files of this agent (its id or name)' },
    session: { value: 'ID', summary: 'files of this session' },
    yes: { summary: 'remove without asking' },
    json: { ...jsonOption, summary: 'print JSON, one file per line' },
  },
  run: (call, io) => runSubcommand(files, subcommands, 'list', call, io),
}

const forPersons = 'change which files are read'

const subcommands: Readonly<Record<string, Subcommand>> = {
  list: { least: 0, most: 0, run: listFiles },
  add: { least: 1, most: Infinity, forPersons, run: addFiles },
  show: { least: 1, most: 1, run: showFile },
  text: { least: 1, most: 1, run: showText },
  remove: { least: 1, most: 1, forPersons, run: removeFile },
}
