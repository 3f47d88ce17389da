import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { addTo, folderWith, skillText } from './skills/folder-with.ts'

test('skills lists what loaded, what it costs, what did not load and why', async (context) => {
  const { ask } = homeWith(context, {
    'config.json': '{ "skills": { "disabled": ["off"] } }',
    'skills/alpha/SKILL.md': skillText('name: alpha\ndescription: Does A.', '# Alpha\nUse it.'),
    'skills/alpha/tools.json': JSON.stringify({
      tools: [{ name: 'say', parameters: { type: 'object', properties: {} } }],
      allowlist: { [process.execPath]: ['hello'] },
      execution: [{ tool: 'say', binary: process.execPath, subcommand: 'hello' }],
    }),
    'skills/gated/SKILL.md': skillText('metadata: { requires: { bins: [no-such-program-here] } }'),
    'skills/off/SKILL.md': 'x',
    'skills/z-alpha/SKILL.md': skillText('name: twin'),
    'skills/z-beta/SKILL.md': skillText('name: twin\nname: twin'),
  })
  const { code, stdout, stderr } = await ask('skills')
  assert.equal(code, 0)
  const lines = stdout.split('\n')
  assert.match(lines[0]!, /^skill +full +list +from +digest +tools$/)
  assert.match(lines[1]!, /^alpha +\d+ +\d+ +skills\/alpha +[0-9a-f]{12} +say$/)
  assert.match(lines[2]!, /^twin +\d+ +\d+ +skills\/z-beta +[0-9a-f]{12}$/)
  assert.equal(lines[3], '')
  assert.match(lines[4]!, /^not loaded +from +why$/)
  assert.match(lines[5]!, /^gated +skills\/gated +it needs no-such-program-here, not found on PATH$/)
  assert.match(lines[6]!, /^twin +skills\/z-alpha +skills\/z-beta has the same name and comes later$/)
  assert.match(lines[7]!, /^off +skills\/off +skills\.disabled in config\.json names it$/)
  assert.match(lines[9]!, /^2 skills: [\d,]+ tokens in full, [\d,]+ as a list\. Sent in full where/)
  assert.match(lines[10]!, /^Both skills in full, for \d+ tokens \(rehearsal, window [\d,]+\)\.$/)
  assert.match(stderr, /z-beta.SKILL\.md: name appears more than once; the last one counts/)
})

test('skills --json is one document for programs', async (context) => {
  const { ask, home } = homeWith(context, {
    'config.json': '{ "context": { "layout": "chai" } }',
    'skills/alpha/SKILL.md': skillText('description: Does A.'),
  })
  const found = JSON.parse((await ask('skills', '--json')).stdout)
  assert.deepEqual(found.forms, ['full'])
  assert.equal(found.why, 'the layout chai has it so')
  const [{ tokens, digest, ...alpha }] = found.skills
  assert.deepEqual(alpha, {
    name: 'alpha',
    description: 'Does A.',
    tools: [],
    from: 'skills/alpha',
    folder: join(home, 'skills', 'alpha'),
  })
  assert.equal(tokens.full > tokens.list, true)
  assert.match(digest, /^[0-9a-f]{64}$/)
  assert.deepEqual([found.left, found.warnings], [[], []])
  const { model, window, tokens: sent, fullTokens, prompt, ...reach } = found.reach
  assert.ok(prompt.total >= sent)
  assert.deepEqual([model, window > 0, sent > 0, fullTokens === sent], ['rehearsal', true, true, true])
  assert.deepEqual(reach, { named: 1, loaded: 1, form: 'full' })
  assert.deepEqual(readdirSync(home).toSorted(), ['config.json', 'skills'])
})

test('a home without skills says how to begin one', async (context) => {
  const { ask, home } = homeWith(context)
  const { code, stdout, stderr } = await ask('skills')
  assert.deepEqual([code, stdout], [0, ''])
  assert.equal(stderr, `No skills yet. Create one in ${join(home, 'skills')} with \`foreword skills new NAME\`.\n`)
})

test('skills show prints the facts and the body of one', async (context) => {
  const { ask } = homeWith(context, {
    'skills/alpha/SKILL.md': skillText(
      'description: |\n  Does\n  A.\nlicense: MIT\nmetadata: { version: "2" }',
      '# Alpha\nUse it.',
    ),
    'skills/gated/SKILL.md': skillText('metadata: { requires: { bins: [no-such-program-here] } }'),
  })
  const { code, stdout } = await ask('skills', 'show', 'alpha')
  assert.equal(code, 0)
  assert.match(stdout, /^alpha\ndescription +Does A\.\nfolder/)
  assert.match(stdout, /\nversion +2\nlicense +MIT\n\n# Alpha\nUse it\.\n$/)
  assert.equal(JSON.parse((await ask('skills', 'show', 'alpha', '--json')).stdout).body, '# Alpha\nUse it.')
  const gated = await ask('skills', 'show', 'gated')
  assert.equal(gated.code, 1)
  assert.match(gated.stderr, /the skill gated is not loaded: it needs no-such-program-here/)
  assert.match((await ask('skills', 'show', 'alhpa')).stderr, /Did you mean alpha\?/)
})

test('skills check names file, line and fault, and its exit code tells', async (context) => {
  const { ask, home } = homeWith(context, {
    'skills/good/SKILL.md': skillText('name: good\ndescription: Does it.'),
    'skills/bad/SKILL.md': skillText('name: Bad\ndescription: Does it.\nmodel: x'),
  })
  const all = await ask('skills', 'check')
  const bad = join(home, 'skills', 'bad', 'SKILL.md')
  assert.equal(all.code, 1)
  assert.deepEqual(all.stdout.trim().split('\n'), [
    `${bad}:2: error: name may have only lowercase letters, digits and hyphens`,
    `${bad}:2: error: name is Bad, but the folder is bad`,
    `${bad}:4: note: the standard has no field model`,
  ])
  assert.equal(all.stderr, '2 skills checked: 2 errors, 1 note.\n')
  const good = await ask('skills', 'check', join(home, 'skills', 'good'))
  assert.deepEqual([good.code, good.stdout, good.stderr], [0, '', '1 skill checked: 0 errors, 0 notes.\n'])
  assert.equal((await ask('skills', 'check', join(home, 'skills'))).stdout, all.stdout)
  assert.deepEqual(JSON.parse((await ask('skills', 'check', '--json')).stdout.split('\n')[2]!), {
    file: bad,
    line: 4,
    level: 'note',
    message: 'the standard has no field model',
  })
  assert.match((await ask('skills', 'check', join(home, 'nowhere'))).stderr, /no such file or folder/)
})

test('skills new begins a skill that passes the check, and overwrites none', async (context) => {
  const { ask, home } = homeWith(context)
  assert.equal((await ask('skills', 'new', 'release-notes')).code, 0)
  assert.equal((await ask('skills', 'check')).code, 0)
  const listed = JSON.parse((await ask('skills', '--json')).stdout)
  assert.deepEqual([listed.skills[0].name, listed.warnings], ['release-notes', []])
  const file = join(home, 'skills', 'release-notes', 'SKILL.md')
  writeFileSync(file, 'mine')
  const again = await ask('skills', 'new', 'release-notes')
  assert.equal(again.code, 1)
  assert.match(again.stderr, /release-notes already exists\./)
  assert.equal(readFileSync(file, 'utf8'), 'mine')
  for (const name of ['../x', 'Upper', 'a--b', '-a', 'a/b', 'x'.repeat(65)]) {
    assert.equal((await ask('skills', 'new', '--', name)).code, 2, name)
  }
})

test('skills trust lets the skills of a workspace load, and only of that one', async (context) => {
  const workspace = folderWith(context, { '.agents/skills/shared/SKILL.md': skillText('description: Shared.') })
  const { ask, home } = homeWith(context, {
    'config.json': `{ "agent": { "workspace": ${JSON.stringify(workspace)} } }`,
  })
  const before = JSON.parse((await ask('skills', '--json')).stdout)
  assert.deepEqual([before.skills, before.left[0].code, before.warnings.length], [[], 'untrusted', 1])
  const byTool = await ask('skills', 'trust', { FOREWORD_TOOL: '1' })
  assert.equal(byTool.code, 1)
  assert.match(byTool.stderr, /a model cannot trust a workspace/)
  const trusted = await ask('skills', 'trust')
  assert.equal(trusted.code, 0)
  assert.match(trusted.stderr, /^Trusted .*\. It takes effect at the next start\.\nIt has one skill: shared\./)
  const after = JSON.parse((await ask('skills', '--json')).stdout)
  assert.deepEqual(
    after.skills.map(({ name }: { name: string }) => name),
    ['shared'],
  )
  assert.deepEqual(JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')).skills.trustedDirs, [workspace])
  assert.match((await ask('skills', 'trust')).stderr, /was already trusted/)
  const other = folderWith(context)
  assert.match((await ask('skills', 'trust', other)).stderr, /The configured workspace is /)
  assert.deepEqual(JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')).skills.trustedDirs, [workspace, other])
  assert.equal((await ask('skills', 'trust', join(other, 'nowhere'))).code, 1)
})

test('skills says what it cannot do, and what is near', async (context) => {
  const { ask } = homeWith(context)
  assert.match((await ask('skills', 'lst')).stderr, /Did you mean `foreword skills list`\?/)
  assert.equal((await ask('skills', 'show')).code, 2)
  assert.equal((await ask('skills', 'list', 'x')).code, 2)
})

function homeWith(context: TestContext, files: Readonly<Record<string, string>> = {}) {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home)
  addTo(home, files)
  return {
    home,
    ask(...words: readonly (string | Readonly<Record<string, string>>)[]) {
      const more = words.filter((word) => typeof word === 'object')
      const argv = words.filter((word) => typeof word === 'string')
      return run(argv, { environment: Object.assign({}, environment, ...more) as Record<string, string> })
    },
  }
}
