// Writes schema/ anew: the JSON Schemas of config.json and of scenarios. Run it after a change of either.
import { mkdirSync, writeFileSync } from 'node:fs'
import { scenarioJsonSchema } from '../src/context/scenario.ts'
import { configurationSchema } from '../src/runtime/configuration/json-schema.ts'

const folder = new URL('../schema/', import.meta.url)

mkdirSync(folder, { recursive: true })
write('config.schema.json', configurationSchema())
write('scenario.schema.json', scenarioJsonSchema())

function write(name, schema) {
  writeFileSync(new URL(name, folder), `${JSON.stringify(schema, null, 2)}\n`)
}
