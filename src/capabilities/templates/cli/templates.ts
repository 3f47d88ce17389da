import type { CommandCall, Io } from '../../../capability.ts'
import {
  commandWithSubcommands,
  findRecord,
  print,
  printJson,
  recordSubcommands,
  sharedWithOption,
  withConnection,
  yesOption,
} from '../../../cli.ts'
import { templateMessage } from './chat-template.ts'
import type { TemplateValue } from '../template-record.ts'

const { use: _, ...subcommands } = recordSubcommands({
  name: 'template',
  text: 'text',
  usage: {
    new: '[--text TEXT] [--text-file PATH] [--shared-with A,B]',
    edit: '[--name NAME] [--text TEXT] [--text-file PATH]',
  },
})

export const templatesCommand = commandWithSubcommands({
  name: 'templates',
  group: 'talk',
  summary: 'create, show, edit and fill in templates: saved messages with fields',
  details:
    'A template is a message with fields: `{{topic}}`, `{{topic:tides}}` with a value, `{{tone:formal|friendly}}` as a ' +
    'choice. `fill` prints the message with their values: `foreword templates fill review topic=tides | foreword send`. ' +
    'ID is an id, a name, or an unambiguous beginning of either. In the web app, `/NAME` puts it into the message field.',
  options: {
    name: { value: 'NAME', summary: 'its name: one word' },
    text: { value: 'TEXT', summary: 'the message, with its fields' },
    'text-file': { value: 'PATH', summary: 'the message from a file, or `-`' },
    'shared-with': sharedWithOption,
    yes: yesOption,
  },
  first: 'list',
  subcommands: { ...subcommands, fill: { usage: 'ID [FIELD=VALUE…] [--json]', run: printFilled } },
})

async function printFilled({ home, json, words: [, word, ...given] }: CommandCall, io: Io): Promise<number> {
  const found = await withConnection(home, io, 'read', (connection) => findRecord(connection, 'template', word!))
  const filled = templateMessage(found.value as unknown as TemplateValue, given)
  if (json) return printJson(io, { text: filled })
  print(io, filled)
  return 0
}
