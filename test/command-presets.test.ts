import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { findSandbox } from '../src/tool.ts'
import { openedHome } from './home/opened-home.ts'

const FILE = 'tool-access.json'

const found = await findSandbox()
const noSandbox = found.type === 'none' ? `no sandbox on this machine: ${found.why}` : false

/** A home whose workspace is a repository, with the presets that its owner has chosen. */
async function homeWith(t: TestContext, shell: object, sandbox: object = { enabled: false }) {
  const policy = {
    global: { allowedTools: ['shell'] },
    sandbox,
    tools: { shell: { enabled: true, ...shell } },
  }
  const here = await openedHome(t, {
    [FILE]: JSON.stringify(policy),
    'workspace/a.txt': 'one\n',
    'workspace/inner/b.txt': 'two\n',
    'workspace/AGENTS.md': 'Be brief.\n',
  })
  const workspace = join(here.home, 'workspace')
  const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: workspace, stdio: 'pipe' })
  git('init', '-q')
  git('add', '-A')
  git('-c', 'user.name=Owner', '-c', 'user.email=owner@example.com', 'commit', '-q', '-m', 'The first one')
  const run = async (cmd: string, cwd?: string) => {
    const said = await here.say(`/call shell ${JSON.stringify({ cmd, ...(cwd && { cwd }) })}\n/say Done.`)
    return said.results[0]!
  }
  return { here, workspace, run }
}

test('under the preset git-read a model reads the history, and no flag of git writes the policy', async (t) => {
  const { here, run } = await homeWith(t, { presets: ['git-read'] })
  const before = readFileSync(join(here.home, FILE), 'utf8')
  assert.match(await run('git log --oneline -5'), /The first one/)
  assert.match(await run('git log --output=../tool-access.json'), /the flag "--output" is not allowed in `git log`/)
  assert.match(await run('git log --outp=../tool-access.json'), /the flag "--outp" is not allowed/)
  assert.match(await run('git diff --no-index a.txt ../tool-access.json'), /the flag "--no-index" is not allowed/)
  assert.match(await run('git diff a.txt ../tool-access.json'), /outside the workspace/)
  assert.match(await run('git stash'), /allowed with some of their flags are: git status, git log/)
  assert.equal(readFileSync(join(here.home, FILE), 'utf8'), before)
})

test('a path in a command of a preset stays in the workspace, wherever links lead and whatever the folder is', async (t) => {
  const { here, workspace, run } = await homeWith(t, { presets: ['files-read', 'search'] })
  here.write('data/secret.txt', 'canary')
  symlinkSync('..', join(workspace, 'up'))
  symlinkSync('../tool-access.json', join(workspace, 'policy.txt'))
  symlinkSync(join(workspace, 'inner'), join(workspace, 'same'))
  linkSync(join(here.home, 'data/secret.txt'), join(workspace, 'hard.txt'))
  here.write('workspace/.netrc', 'canary')
  assert.equal(await run('cat a.txt'), 'one\n')
  assert.equal(await run('cat ../a.txt', 'inner'), 'one\n')
  assert.equal(await run('cat same/b.txt'), 'two\n')
  assert.match(await run('grep -rn two .'), /inner\/b\.txt:1:two/)
  for (const [cmd, why, cwd] of [
    ['cat ../tool-access.json', /outside the workspace/],
    ['cat ../../tool-access.json', /outside the workspace/, 'inner'],
    ['cat policy.txt', /outside the workspace/],
    ['cat up/tool-access.json', /outside the workspace/],
    ['cat up/workspace/../tool-access.json', /goes up behind a folder/],
    ['cat same/../a.txt', /goes up behind a folder/],
    [`cat ${here.home}/data/secret.txt`, /outside the workspace/],
    ['head -n 1 a.txt hard.txt', /another name of a file that is kept from tools/],
    ['cat .netrc', /such a file holds keys or passwords/],
    ['grep -r one up', /outside the workspace/],
    ['find up -name x', /outside the workspace/],
    ['grep -e one -- /etc/passwd', /outside the workspace/],
    ['diff inner inner', /"inner" is a folder: name a file/],
    ['cat @list', /begins with @/],
  ] as const) {
    const said = await run(cmd, cwd)
    assert.match(said, why, cmd)
    assert.doesNotMatch(said, /canary/, cmd)
  }
})

test('git-write puts back one file, and never what agents obey', async (t) => {
  const { here, workspace, run } = await homeWith(t, { presets: ['git-write'] })
  here.write('workspace/a.txt', 'changed\n')
  here.write('workspace/AGENTS.md', 'changed\n')
  symlinkSync('AGENTS.md', join(workspace, 'same.md'))
  for (const [cmd, why] of [
    ['git restore AGENTS.md', /a file of the owner/],
    ['git restore same.md', /a file of the owner/],
    ['git restore .', /is a folder: name a file/],
    ['git restore inner', /is a folder: name a file/],
    ["git restore '*'", /without patterns/],
    ["git restore ':/'", /without patterns/],
    ['git restore gone.txt', /is no file/],
    ['git commit -q', /has to have -m or --message/],
    ['git checkout AGENTS.md', /allowed with some of their flags are: git add/],
  ] as const) {
    assert.match(await run(cmd), why, cmd)
  }
  await run('git restore a.txt')
  assert.equal(readFileSync(join(workspace, 'a.txt'), 'utf8'), 'one\n')
  assert.equal(readFileSync(join(workspace, 'AGENTS.md'), 'utf8'), 'changed\n')
})

test('a command of a preset runs in the workspace although other folders are allowed, and finds no repository above', async (t) => {
  const { here, workspace, run } = await homeWith(t, { presets: ['git-read', 'files-read'], allowAnyCwd: true })
  mkdirSync(join(here.home, 'beside'))
  assert.match(await run('ls', '../beside'), /in the workspace only: leave cwd out/)
  rmSync(join(workspace, '.git'), { recursive: true })
  execFileSync('git', ['init', '-q'], { cwd: here.home })
  assert.match(await run('git status'), /not a git repository/)
})

test('a free prefix beside a preset allows what it has always allowed', async (t) => {
  const { run } = await homeWith(t, { presets: ['files-read'], allowedPrefixes: ['cat'] })
  assert.match(await run('cat ../tool-access.json'), /"allowedPrefixes":\["cat"\]/)
  assert.match(await run('head ../tool-access.json'), /outside the workspace/)
})

test('the plan of a command names the preset that allows it', async (t) => {
  const { here } = await homeWith(t, { presets: ['git-read'], approval: 'ask' })
  const trial = await here.runtime.planTool('shell', { cmd: 'git log -1' })
  assert.equal(trial.type === 'ask' && trial.call.facts?.['preset'], 'git-read')
})

test('a preset that is written into the file by other means waits until the owner accepts it, and holds no longer once it is gone', async (t) => {
  const { here, run } = await homeWith(t, { presets: ['files-read'] })
  const file = (presets: readonly string[]) =>
    JSON.stringify({
      global: { allowedTools: ['shell'] },
      sandbox: { enabled: false },
      tools: { shell: { enabled: true, presets } },
    })
  here.write(FILE, file(['files-read', 'git-read']))
  assert.match(await run('git status'), /the command is not allowed/)
  assert.match(await run('ls'), /a\.txt/)
  const [waiting] = await here.runtime.acceptance.waiting()
  assert.deepEqual(waiting!.words, [
    'A model may run the commands of the preset git-read.',
    'It waits for you because programs may run without a sandbox (sandbox.enabled).',
  ])
  await here.accept()
  assert.match(await run('git status --short --branch'), /^##/)
  here.write(FILE, file(['git-read']))
  assert.match(await run('ls'), /the command is not allowed/)
})

test('commands of presets run in the sandbox too', { skip: noSandbox }, async (t) => {
  const { run } = await homeWith(t, { presets: ['files-read', 'git-read'] }, {})
  assert.equal(await run('cat a.txt'), 'one\n')
  assert.match(await run('git log --oneline -5'), /The first one/)
})
