import assert from 'node:assert/strict'
import { allowing, attack, attackedGateway, commands } from './attacked-gateway.ts'

attack(
  'an audit whose store a program removed is broken, and in the sandbox none can remove it',
  async (t, variant) => {
    const here = await attackedGateway(t, variant, { policy: allowing('sh') })
    await here.say(commands('sh -c "echo one"'))
    const expected = JSON.parse((await here.foreword('audit', 'verify', '--json')).stdout) as { readonly type?: string }
    assert.equal(expected.type, 'whole')
    await here.say(commands('sh -c "rm -f ../data/*.sqlite ../data/*.sqlite-wal ../data/*.sqlite-shm"'))
    await here.stop()
    const { code, stdout, stderr } = await here.foreword('audit', 'verify')
    assert.equal(code === 0, variant.sandbox === 'on', stdout + stderr)
    if (variant.sandbox !== 'on') assert.doesNotMatch(stdout, /\bwhole\b/)
  },
)
