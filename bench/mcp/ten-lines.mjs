import { createInterface } from 'node:readline'

const results = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'ten', version: '1' } },
  'tools/list': { tools: [{ name: 'nothing', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [] },
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: results[method] })}\n`)
})
