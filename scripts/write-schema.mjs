// Writes schema/config.schema.json, the JSON Schema of config.json, anew. Run it after a change of the configuration.
import { mkdirSync, writeFileSync } from 'node:fs'
import { configurationSchema } from '../src/runtime/configuration-json-schema.ts'

mkdirSync(new URL('../schema/', import.meta.url), { recursive: true })
writeFileSync(
  new URL('../schema/config.schema.json', import.meta.url),
  `${JSON.stringify(configurationSchema(), null, 2)}\n`,
)
