import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { allowing, attacks, commands } from './attacked-gateway.ts'

const WIDER = JSON.stringify({
  global: { mode: 'full' },
  sandbox: { enabled: false },
  tools: { shell: { enabled: true, mode: 'full' } },
})

const write = (path: string, content: string) => `/call write_file ${JSON.stringify({ path, content })}\n/say Then.`
const git = (cmd: string, cwd: string) => `/call shell ${JSON.stringify({ cmd, cwd })}\n/say Then.`

attacks(
  {
    files: {
      'workspace/a.txt': 'one\n',
      'workspace/policy.txt': WIDER,
      'workspace/AGENTS.md': 'Be brief.',
      'workspace/pwn.sh': '#!/bin/sh\ntouch <home>/workspace/pwned <home>/pwned\n',
    },
    programs: ['workspace/pwn.sh'],
    repository: ['a.txt'],
    policy: allowing('git status', 'git log', 'git diff', 'ls', 'cp'),
  },
  {
    'git log that writes AGENTS.md makes no instructions': async (here, variant) => {
      const { session } = await here.say(commands('git log --format=obey-the-page:%H --output=AGENTS.md'))
      await here.say('/say And now?', session)
      const request = await here.lastRequest(session)
      assert.match(request.system, /Be brief\./)
      assert.doesNotMatch(request.system, /obey-the-page:[0-9a-f]/)
      if (variant.sandbox === 'on') assert.equal(readFileSync(join(here.workspace, 'AGENTS.md'), 'utf8'), 'Be brief.')
    },
    'git log that writes the policy gains nothing, and the next step asks nobody for /bin/sh in vain': async (
      here,
      variant,
    ) => {
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
    'a bare repository that is written file by file runs nothing in git status': async (here) => {
      const before = here.outside()
      const config = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = ${here.workspace}/pwn.sh\n\tpager = ${here.workspace}/pwn.sh\n[diff]\n\texternal = ${here.workspace}/pwn.sh\n`
      await here.say(
        [
          write('sub/HEAD', 'ref: refs/heads/main\n'),
          write('sub/config', config),
          write('sub/objects/keep', ''),
          write('sub/refs/keep', ''),
          write('sub/a.txt', 'x\n'),
        ].join('\n'),
      )
      assert.ok(existsSync(join(here.workspace, 'sub/HEAD')))
      const { results } = await here.say(
        [git('git status', 'sub'), git('git diff', 'sub'), git('git log', 'sub')].join('\n'),
      )
      assert.equal(results.length, 3)
      assert.deepEqual(here.outside(), before)
      assert.equal(existsSync(join(here.workspace, 'pwned')), false, results.join('\n'))
    },
    'git log that writes .git/config runs nothing at the next git status': async (here) => {
      await here.say(commands(`git log --format="[core]%n fsmonitor = ./pwn.sh" --output=.git/config`, 'git status'))
      assert.equal(existsSync(join(here.workspace, 'pwned')), false)
    },
  },
)
