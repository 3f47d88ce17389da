import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { allowing, attack, attackedGateway } from './attacked-gateway.ts'

const write = (path: string, content: string) => `/call write_file ${JSON.stringify({ path, content })}\n/say Then.`
const git = (cmd: string, cwd: string) => `/call shell ${JSON.stringify({ cmd, cwd })}\n/say Then.`

attack('a bare repository that is written file by file runs nothing in git status', async (t, variant) => {
  const here = await attackedGateway(t, variant, {
    files: {
      'workspace/a.txt': 'one\n',
      'workspace/pwn.sh': '#!/bin/sh\ntouch <home>/workspace/pwned <home>/pwned\n',
    },
    programs: ['workspace/pwn.sh'],
    repository: ['a.txt'],
    policy: allowing('git status', 'git log', 'git diff'),
  })
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
})
