import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { type AnyCapability, capability } from '../../src/capability.ts'
import { builtIn } from '../../src/foreword.ts'
import { capabilityCases } from '../../src/testing.ts'
import { tool } from '../../src/tool.ts'

for (const [index, value] of builtIn.entries()) capabilityCases(test, value, { others: builtIn.slice(0, index) })

test('a capability that breaks the contract fails the cases that name the fault', async () => {
  const broken = capability({
    name: 'Broken',
    commands: {
      async tide() {
        return { name: 'tides', summary: '', usage: [], words: { least: 0, most: 0 }, options: {}, run: async () => 0 }
      },
    },
    tools: () => [tool({ name: 'no blanks', description: '', execute: async () => 'never called' })],
  })
  assert.deepEqual(await failures(broken), [
    'Broken: its names are valid and unique',
    'Broken: its commands have help, and the names under which they are listed',
    'Broken: its tools have names, descriptions and schemas, and do not change between calls',
  ])
})

test('a server that a capability leaves open is found', async (t) => {
  const server = createServer()
  t.after(() => server.close())
  const leaking = capability({
    name: 'leaking',
    start: () =>
      server.listening ? undefined : new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)),
  })
  // It is left open by the first start, so the case of the leak comes first here.
  const [last] = cases(leaking).slice(-1)
  await assert.rejects(last!.run(), /what still runs after stop/)
})

interface Case {
  readonly name: string
  readonly run: () => Promise<void>
}

function cases(value: AnyCapability): readonly Case[] {
  const found: Case[] = []
  capabilityCases((name, run) => found.push({ name, run }), value)
  return found
}

async function failures(value: AnyCapability): Promise<readonly string[]> {
  const failed: string[] = []
  for (const { name, run } of cases(value)) await run().catch(() => failed.push(name))
  return failed
}
