import type { CommandCall, Io } from '../../../capability.ts'
import {
  commandWithSubcommands,
  findRecord,
  print,
  printJson,
  recordSubcommands,
  usageFailure,
  withConnection,
  yesOption,
} from '../../../cli.ts'
import { nearestHint } from '../../../platform.ts'
import { fillTemplate, templateFields } from '../template-fields.ts'
import type { TemplateValue } from '../template-record.ts'

const { use: _, ...subcommands } = recordSubcommands({
  name: 'template',
  text: 'text',
  usage: { new: '[--text TEXT] [--text-file PATH]', edit: '[--name NAME] [--text TEXT] [--text-file PATH]' },
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
    yes: yesOption,
  },
  first: 'list',
  subcommands: { ...subcommands, fill: { usage: 'ID [FIELD=VALUE…] [--json]', run: printFilled } },
})

async function printFilled({ home, json, words: [, word, ...given] }: CommandCall, io: Io): Promise<number> {
  const found = await withConnection(home, io, 'read', (connection) => findRecord(connection, 'template', word!))
  const { name, text } = found.value as unknown as TemplateValue
  const values = Object.fromEntries(given.map(readValue))
  const fields = templateFields(text)
  const names = fields.map((field) => field.name)
  for (const [field, value] of Object.entries(values)) {
    const known = fields.find((each) => each.name === field)
    if (!known) throw usageFailure(`${name} has no field ${field}.`, nearestHint(field, names, fieldsHint(names)))
    const { options = [] } = known
    if (options.length > 1 && !options.includes(value)) {
      throw usageFailure(`${field} cannot be ${JSON.stringify(value)}.`, `Choose one of ${options.join(', ')}.`)
    }
  }
  const empty = fields.filter((field) => !field.options && !values[field.name]).map((field) => field.name)
  if (empty.length > 0) {
    const hint = `Add ${empty.map((field) => `"${field}=…"`).join(' ')}.`
    throw usageFailure(`Without a value: ${empty.join(', ')}.`, hint)
  }
  const filled = fillTemplate(text, values)
  if (json) return printJson(io, { text: filled })
  print(io, filled)
  return 0
}

function readValue(word: string): readonly [string, string] {
  const at = word.indexOf('=')
  if (at > 0) return [word.slice(0, at).trim(), word.slice(at + 1)]
  throw usageFailure(`${word} is not FIELD=VALUE.`, 'Write `topic=tides`, in quotes where it has blanks.')
}

function fieldsHint(names: readonly string[]): string {
  return names.length === 0 ? 'It has no fields.' : `Its fields are ${names.join(', ')}.`
}
