/**
 * The client of the conformance suite of the protocol. It is started with the address of a server, offers its tools to a turn, and calls
 * each of them once, with the arguments that the suite names for it, or with any that its schema allows.
 */

// Nobody signs in here, and the suite would wait for it. It starts all clients at once: most of them end before they load anything.
if (process.env['MCP_CONFORMANCE_SCENARIO']?.startsWith('auth/')) process.exit(1)
const { fieldsOf } = await import('../../src/platform.ts')
const { callTool, openMcpHome } = await import('./mcp-home.ts')

const named = fieldsOf(JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}'))['toolCalls']
const given = (Array.isArray(named) ? named : []).map(fieldsOf)
const home = openMcpHome()
try {
  const plugin = await home.plugin({ suite: { url: process.argv.at(-1)!, connectTimeoutMs: 100_000 } })
  await plugin.ready?.()
  for (const { name, inputSchema } of plugin.tools?.() ?? []) {
    const calls = given.filter((call) => `suite__${String(call['name'])}` === name).map((call) => call['arguments'])
    const echoes = name.endsWith('_echo') && 'schema' in fieldsOf(fieldsOf(inputSchema)['properties'])
    const other = echoes
      ? { schema: plugin.tools?.().find((tool) => tool.name !== name)?.inputSchema }
      : sample(inputSchema)
    for (const input of calls.length > 0 ? calls : [other]) await callTool(plugin, name, input)
  }
} finally {
  await home.close()
}

/** Something that a schema of an object allows, of plain types. */
function sample(schema: unknown): unknown {
  const { type, properties, required, enum: allowed } = fieldsOf(schema)
  if (Array.isArray(allowed)) return allowed[0]
  if (type !== 'object')
    return { string: 'a', number: 2, integer: 2, boolean: true, array: [], null: null }[String(type)] ?? 'a'
  const wanted = Array.isArray(required) ? required : Object.keys(fieldsOf(properties))
  return Object.fromEntries(wanted.map((key: string) => [key, sample(fieldsOf(properties)[key])]))
}
