import assert from 'node:assert/strict'
import { join } from 'node:path'
import { attack } from './attacked-gateway.ts'

const backtracking = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } }
const endless = JSON.stringify({ text: `${'a'.repeat(60)}!` })
const heavy = Array.from({ length: 200 }, (_, tool) => ({
  name: `t${tool}`,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 50 }, (_none, index) => [
        `t${tool}p${index}`,
        { allOf: [{ minLength: 1 }, { pattern: '^a' }] },
      ]),
    ),
  },
}))
/** Each takes its whole second. That a server has ten of them is tested in `test/foreign-schemas.slow.ts`. */
const CALLS = 6
const SCRIPT = join(import.meta.dirname, '../mcp/scripted-server.ts')

const server = (name: string) => ({
  command: process.execPath,
  args: [SCRIPT, `<home>/${name}.json`, `<home>/${name}.log`],
  sandbox: 'off',
})

attack(
  'calls of a pattern that backtracks and 200 heavy schemas hold up no answer of the gateway',
  {
    files: {
      'slow.json': JSON.stringify({ tools: [{ name: 'slow', inputSchema: backtracking }] }),
      'heavy.json': JSON.stringify({ tools: heavy }),
      'heavy.log': '',
      'slow.log': '',
    },
    policy: { global: { allowedTools: ['slow__slow'] } },
    configuration: { mcp: { servers: { slow: server('slow'), heavy: server('heavy') } } },
  },
  async (here) => {
    await here.say('/say Hello.')
    const order: string[] = []
    const attacked = here
      .say(`${Array.from({ length: CALLS }, () => `/call slow__slow ${endless}`).join('\n')}\n/say Done.`)
      .then((said) => (order.push('attack'), said))
    for (let turn = 0; turn < 5; turn += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after another
      assert.equal((await here.ask('/api/status')).status, 200)
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await here.say('/say Hello.')
      order.push('hello')
    }
    const { results } = await attacked
    assert.equal(results.length, CALLS)
    assert.ok(
      results.every((text) => /invalid input for slow__slow/.test(text)),
      results.join('\n'),
    )
    assert.equal(order.at(-1), 'attack', order.join(' '))
  },
)
