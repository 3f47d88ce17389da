import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { allowing, attack, attackedGateway, type AttackedGateway, commands } from './attacked-gateway.ts'

const asks = async ({ url }: AttackedGateway, token: string, path: string, body?: unknown) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  return (await fetch(`${url}${path}`, { headers, ...sent })).status
}

const NEEDED: readonly (readonly [scope: string, path: string, body?: unknown])[] = [
  ['read', '/api/sessions'],
  ['read', '/api/audit'],
  ['read', '/api/approvals'],
  ['talk', '/api/messages', { text: 'hello' }],
  ['approve', '/api/approvals/approval_none', { decision: 'approve', digest: '0'.repeat(64) }],
  ['admin', '/api/tokens'],
  ['admin', '/api/tokens', { name: 'more', scope: 'admin' }],
  ['admin', '/api/acceptance', { name: 'tool-access.json', digest: '0'.repeat(64) }],
  ['admin', '/api/tools/shell/run', { input: { cmd: 'id' }, digest: '0'.repeat(64) }],
]

attack('a token opens what its scope names, and no token for MCP clients opens anything else', async (t, variant) => {
  const here = await attackedGateway(t, variant, { policy: allowing('cat', 'grep') })
  const tokens: Record<string, string> = {}
  for (const scope of ['read', 'talk', 'approve', 'mcp']) {
    // oxlint-disable-next-line no-await-in-loop -- one after another
    const made = await here.ask('/api/tokens', { name: `one-${scope}`, scope })
    tokens[scope] = ((await made.json()) as { token: string }).token
  }
  const levels = ['read', 'talk', 'approve', 'admin']
  for (const [scope, token] of Object.entries(tokens)) {
    for (const [needed, path, body] of NEEDED) {
      // oxlint-disable-next-line no-await-in-loop -- one after another
      const status = await asks(here, token, path, body)
      const isOpen = scope !== 'mcp' && levels.indexOf(scope) >= levels.indexOf(needed)
      assert.equal(status === 403, !isOpen, `${scope} at ${path}: ${status}`)
    }
  }
  const data = join(here.home, 'data')
  const kept = (readdirSync(data, { recursive: true }) as string[]).filter((name) =>
    statSync(join(data, name)).isFile(),
  )
  for (const name of kept) {
    const text = readFileSync(join(data, name), 'latin1')
    for (const token of Object.values(tokens)) assert.ok(!text.includes(token), name)
  }
  const { log } = await here.say(commands(`cat ../data/token`, `grep -ra foreword ../data`))
  for (const token of [here.token, ...Object.values(tokens)]) assert.ok(!log.includes(token))
})

attack(
  'wrong tokens are slowed down and recorded in one line, and the right one still passes at once',
  async (t, variant) => {
    const here = await attackedGateway(t, variant, {})
    const statuses = await Promise.all(
      Array.from({ length: 60 }, (_, index) => asks(here, `wrong-${index}`, '/api/sessions')),
    )
    assert.ok(statuses.includes(429), statuses.join(' '))
    assert.ok(statuses.every((status) => status === 401 || status === 429))
    assert.equal(await asks(here, here.token, '/api/sessions'), 200)
    await here.stop()
    const { stdout } = await here.foreword('audit', '--json')
    const lines = stdout.split('\n').filter((line) => /wrong token/.test(line))
    assert.equal(lines.length, 1, stdout)
    assert.match(lines[0]!, /60/)
  },
)
