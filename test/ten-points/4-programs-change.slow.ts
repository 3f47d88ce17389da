import assert from 'node:assert/strict'
import { chmodSync, existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { allowing, attacks, commands } from './attacked-gateway.ts'

const asking = (...prefixes: readonly string[]) => {
  const { global, tools } = allowing(...prefixes)
  return { global, tools: { shell: { ...tools.shell, approval: 'ask' } } }
}

attacks(
  {
    files: { 'workspace/job.sh': '#!/bin/sh\necho good\n', 'workspace/lib.sh': 'echo good\n' },
    programs: ['workspace/job.sh'],
    policy: asking('./job.sh', 'sh lib.sh', 'touch'),
  },
  {
    'a job that was approved and changed before the run does not run changed': async (here) => {
      const written = await here.begin(commands('./job.sh'))
      await here.write('job.sh', '#!/bin/sh\ntouch pwned\n')
      assert.equal((await here.decide(written.waiting[0]!, 'approve')).status, 200)
      console.log((await written.end()).results)

      await here.write('job.sh', '#!/bin/sh\necho good\n')
      const replaced = await here.begin(commands('./job.sh'))
      await here.write('other.sh', '#!/bin/sh\ntouch pwned\n')
      chmodSync(join(here.workspace, 'other.sh'), 0o755)
      renameSync(join(here.workspace, 'other.sh'), join(here.workspace, 'job.sh'))
      assert.equal((await here.decide(replaced.waiting[0]!, 'approve')).status, 200)
      console.log((await replaced.end()).results)

      const script = await here.begin(commands('sh lib.sh'))
      await here.write('lib.sh', 'touch pwned\n')
      assert.equal((await here.decide(script.waiting[0]!, 'approve')).status, 200)
      console.log((await script.end()).results)
      assert.equal(existsSync(join(here.workspace, 'pwned')), false)
    },
    'a decision counts once, and for the call that was shown alone': async (here) => {
      const first = await here.begin(commands('touch one'))
      const second = await here.begin(commands('touch two'))
      const [one, two] = [first.waiting[0]!, second.waiting[0]!]
      assert.equal((await here.decide({ ...two, digest: one.digest }, 'approve')).status, 409)
      assert.equal((await here.decide(one, 'deny')).status, 200)
      assert.ok((await here.decide(one, 'approve')).status >= 400)
      await first.end()
      assert.ok((await here.decide(one, 'approve')).status >= 400)
      assert.equal(existsSync(join(here.workspace, 'one')), false)
      assert.equal((await here.decide(two, 'deny')).status, 200)
      await second.end()
      assert.equal(existsSync(join(here.workspace, 'two')), false)
    },
  },
)
