import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { builtIn } from '../src/foreword.ts'
import { scenarioJsonSchema } from '../src/context/scenario.ts'
import { configurationSchema } from '../src/runtime/configuration/schema.ts'
import { commandOverview } from '../scripts/docs/command-overview.ts'
import { manPage } from '../scripts/docs/man-page.ts'
import { commonOptions } from '../src/cli/arguments.ts'
import { loadedCommands } from '../src/cli/commands.ts'
import { accessSchema } from '../src/tool/access/access.ts'

for (const [path, current] of [
  ['schema/config.schema.json', configurationSchema(builtIn).json],
  ['schema/scenario.schema.json', scenarioJsonSchema()],
  ['schema/tool-access.schema.json', accessSchema()],
  ['src/foreword/overview.json', await commandOverview(builtIn)],
] as const) {
  test(`the committed ${path} is the current one`, () => {
    const committed: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '..', path), 'utf8'))
    assert.deepEqual(committed, JSON.parse(JSON.stringify(current)), 'write it anew with: npm run schema')
  })
}

test('the manual page is made from the values of the commands', async () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')
  const commands = await loadedCommands({ capabilities: builtIn })
  const { version } = JSON.parse(read('package.json')) as { version: string }
  assert.equal(read('docs/foreword.1'), manPage(version, commands, commonOptions), 'write it anew with: npm run schema')
})
