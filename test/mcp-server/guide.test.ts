import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { clients, type ServerEntry } from '../../src/cli/mcp-config.ts'
import { connected } from './clients.ts'
import { mcpHome } from './mcp-home.ts'

const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/mcp-server.md'), 'utf8')

test('the settings in the guide are the ones that the command prints', () => {
  const printed = [...guide.matchAll(/```json\n([^]+?)```/g)].map(([, text]) => JSON.parse(text!) as object)
  const program: ServerEntry = {
    type: 'stdio',
    command: '/usr/local/bin/node',
    args: ['/usr/local/lib/node_modules/foreword/bin/foreword.js', 'mcp'],
    env: {},
  }
  const gateway: ServerEntry = {
    type: 'http',
    url: 'http://127.0.0.1:4141/mcp',
    headers: { Authorization: 'Bearer THE-TOKEN' },
  }
  const text = (client: string, entry: ServerEntry) => JSON.parse(clients[client]!.text(entry)!) as object
  assert.deepEqual(printed, [
    text('claude-desktop', program),
    text('claude-code', program),
    text('vscode', program),
    text('zed', program),
    text('vscode', gateway),
  ])
  const codex = /```toml\n([^]+?)\n```/.exec(guide)![1]
  assert.equal(codex, clients['codex']!.text(program))
  const commands = [...guide.matchAll(/^claude mcp .*$/gm)].map(([line]) => line)
  assert.deepEqual(
    commands,
    [program, gateway].map((entry) => clients['claude-code']!.command!(entry)),
  )
})

test('the guide names every program, tool, resource, prompt and code', async (t) => {
  const home = await mcpHome(t)
  const { client } = await connected(t, home, 'v2 2026-07-28', 'http')
  const { tools } = await client.listTools()
  const { prompts } = await client.listPrompts()
  const schema = tools[0]!.outputSchema as unknown as {
    properties: { error: { anyOf: [{ properties: { code: { enum: string[] } } }] } }
  }
  const names = [
    ...Object.keys(clients),
    ...[...tools, ...prompts].map(({ name }) => name),
    ...schema.properties.error.anyOf[0].properties.code.enum,
  ]
  assert.deepEqual(
    names.filter((name) => !guide.includes(`\`${name}\``)),
    [],
  )
})
