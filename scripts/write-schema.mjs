// Writes schema/: the JSON Schemas of config.json, tool-access.json and scenarios; the overview of the command line, which its
// help is made from; and its manual page. Run it after a change of any of them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { commonOptions } from '../src/cli/arguments.ts'
import { loadedCommands } from '../src/cli/commands.ts'
import { scenarioJsonSchema } from '../src/context/scenario.ts'
import { builtIn } from '../src/foreword.ts'
import { configurationSchema } from '../src/runtime/configuration/schema.ts'
import { commandOverview } from './docs/command-overview.ts'
import { manPage } from './docs/man-page.ts'
import { accessSchema } from '../src/tool/access/access.ts'

const folder = new URL('../schema/', import.meta.url)

mkdirSync(folder, { recursive: true })
write('../src/foreword/overview.json', await commandOverview(builtIn))
const commands = await loadedCommands({ capabilities: builtIn })
const { version } = JSON.parse(readFileSync(new URL('../package.json', folder), 'utf8'))
writeFileSync(new URL('../docs/foreword.1', folder), manPage(version, commands, commonOptions))
write('config.schema.json', configurationSchema(builtIn).json)
write('scenario.schema.json', scenarioJsonSchema())
write('tool-access.schema.json', accessSchema())

function write(name, schema) {
  writeFileSync(new URL(name, folder), `${JSON.stringify(schema, null, 2)}\n`)
}
