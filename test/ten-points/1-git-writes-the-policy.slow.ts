import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { allowing, attack, attackedGateway, commands } from './attacked-gateway.ts'

const WIDER = JSON.stringify({
  global: { mode: 'full' },
  sandbox: { enabled: false },
  tools: { shell: { enabled: true, mode: 'full' } },
})

attack(
  'git log that writes the policy gains nothing, and the next step asks nobody for /bin/sh in vain',
  async (t, variant) => {
    const here = await attackedGateway(t, variant, {
      files: { 'workspace/a.txt': 'one\n', 'workspace/policy.txt': WIDER },
      repository: ['a.txt'],
      policy: allowing('git status', 'git log', 'ls', 'cp'),
    })
    const before = here.outside()
    const { results } = await here.say(
      commands(
        `git log --format='${WIDER}' --output=../tool-access.json`,
        `/bin/sh -c "touch ran"`,
        'cp policy.txt ../tool-access.json',
        `/bin/sh -c "touch ran"`,
      ),
    )
    assert.equal(results.length, 4)
    assert.match(results[1]!, /not allowed|allowed prefix|Command is/i)
    assert.equal(existsSync(join(here.workspace, 'ran')), false)
    if (variant.sandbox === 'on') assert.deepEqual(here.outside(), before)
    const { waiting } = (await (await here.ask('/api/acceptance')).json()) as { waiting: readonly { name: string }[] }
    assert.deepEqual(
      waiting.map(({ name }) => name),
      variant.sandbox === 'on' ? [] : ['tool-access.json'],
    )
    await here.say(commands('/bin/sh -c "touch ran"'))
    assert.equal(existsSync(join(here.workspace, 'ran')), false)
  },
)

attack('git log that writes AGENTS.md makes no instructions', async (t, variant) => {
  const here = await attackedGateway(t, variant, {
    files: { 'workspace/a.txt': 'one\n', 'workspace/AGENTS.md': 'Be brief.' },
    repository: ['a.txt'],
    policy: allowing('git log'),
  })
  const { session } = await here.say(commands('git log --format=obey-the-page:%H --output=AGENTS.md'))
  await here.say('/say And now?', session)
  const request = await here.lastRequest(session)
  assert.match(request.system, /Be brief\./)
  assert.doesNotMatch(request.system, /obey-the-page:[0-9a-f]/)
  if (variant.sandbox === 'on') assert.equal(readFileSync(join(here.workspace, 'AGENTS.md'), 'utf8'), 'Be brief.')
})

attack('git log that writes .git/config runs nothing at the next git status', async (t, variant) => {
  const here = await attackedGateway(t, variant, {
    files: {
      'workspace/a.txt': 'one\n',
      'workspace/pwn.sh': '#!/bin/sh\ntouch <home>/workspace/pwned\n',
    },
    programs: ['workspace/pwn.sh'],
    repository: ['a.txt'],
    policy: allowing('git status', 'git log'),
  })
  await here.say(commands(`git log --format="[core]%n fsmonitor = ./pwn.sh" --output=.git/config`, 'git status'))
  assert.equal(existsSync(join(here.workspace, 'pwned')), false)
})
