import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import promises, {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { createToolbox, obeyedNames, type RunContext, type Tool } from '../../tool.ts'
import { workspaceBlock } from './workspace-block.ts'
import { systemClock } from '../../platform.ts'

const context: RunContext = { clock: systemClock, session: 's1', turn: 't1', signal: new AbortController().signal }

/** A workspace with these files; a name that ends in `/` is a folder. */
async function workspace(t: TestContext, files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'workspace-')))
  t.after(() => rm(top, { recursive: true, force: true }))
  const folder = join(top, 'workspace')
  await mkdir(folder)
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  const { tools } = workspaceBlock({ folder, outOfReach: [join(folder, 'closed')] })
  const box = createToolbox(tools)
  const call = (toolName: string, input: object) => ({ toolCallId: 'c1', toolName, input })
  return {
    top,
    folder,
    tools: box.tools,
    plan: (tool: string, input: object) => box.plan(call(tool, input), context),
    async run(tool: string, input: object): Promise<string> {
      const result = await box.run(call(tool, input), context)
      return result.ok ? result.output : `error: ${result.error}`
    },
    text: (name: string) => readFile(join(folder, name), 'utf8'),
  }
}

test('five tools: three read, and two ask before they write', async (t) => {
  const { tools } = await workspace(t)
  const traits = ({ name, origin, approval, idempotent }: Tool) => [name, origin, approval, idempotent]
  assert.deepEqual(tools.map(traits), [
    ['list_files', 'file', undefined, true],
    ['read_file', 'file', undefined, true],
    ['search_files', 'file', undefined, true],
    ['write_file', 'operator', 'ask', undefined],
    ['edit_file', 'file', 'ask', undefined],
  ])
})

test('what a tool has read from is named as a person calls it, also where no folder was given', async (t) => {
  const { tools } = await workspace(t)
  const sources = (name: string, input: object) => tools.find((tool) => tool.name === name)!.readsFrom!(input as never)
  assert.deepEqual(sources('list_files', {}), ['names in the workspace'])
  assert.deepEqual(sources('list_files', { path: '.' }), ['names in the workspace'])
  assert.deepEqual(sources('search_files', { text: 'x' }), ['lines in the workspace'])
  assert.deepEqual(sources('search_files', { text: 'x', path: 'src' }), ['lines in src'])
})

test('a list is sorted, marks folders, and says sizes and what was left out', async (t) => {
  const { run, folder } = await workspace(t, { 'b.txt': 'bb', 'a/x/y/z.md': '', 'a/c.md': 'c', '.git/HEAD': '', B: '' })
  await symlink('/', join(folder, 'out'))
  execFileSync('mkfifo', [join(folder, 'pipe')])
  const expected = ['B 0', 'a/', 'a/c.md 1', 'a/x/', 'b.txt 2', 'out (link, not followed)', 'pipe (no file)']
  assert.equal(await run('list_files', {}), [...expected, '[left out: folders named .git]'].join('\n'))
  assert.equal(await run('list_files', { path: 'a', depth: 1 }), 'a/c.md 1\na/x/')
  assert.equal(await run('list_files', { path: 'a', glob: '**/*.md' }), 'a/c.md 1\na/x/y/z.md 0')
  assert.equal(await run('list_files', { glob: '', path: null }), await run('list_files', {}))
  assert.equal(await run('list_files', { glob: 'nothing' }), '(no file fits)\n[left out: folders named .git]')
  assert.equal(await run('list_files', { path: '.git' }), '.git/HEAD 0')
  assert.equal(await run('list_files', { path: 'b.txt' }), 'error: b.txt is not a folder')
  assert.equal(await run('list_files', { path: 'none' }), 'error: none does not exist')
})

test('a long list is cut and says how much is left', async (t) => {
  const files = Object.fromEntries(Array.from({ length: 405 }, (_, index) => [`f${1000 + index}`, '']))
  const { run } = await workspace(t, files)
  const lines = (await run('list_files', {})).split('\n')
  assert.deepEqual([lines.length, lines.at(-1)], [401, '[5 more: give a path, a glob or a smaller depth]'])
})

test('an empty workspace, and one that was never made, are empty', async (t) => {
  const { run, folder } = await workspace(t)
  assert.equal(await run('list_files', {}), '(no files)')
  await rm(folder, { recursive: true })
  assert.equal(await run('list_files', {}), '(no files)')
  assert.equal(await run('search_files', { pattern: 'a' }), '(no line fits; 0 files searched)')
  assert.equal(await run('read_file', { path: 'a' }), 'error: a does not exist; list_files shows what does')
})

test('a file is read by lines, exactly as they are', async (t) => {
  const { run } = await workspace(t, { 'a.txt': 'one\n\ttwo \r\nthree\nfour', 'bom.txt': '\uFEFFx\n', 'empty.txt': '' })
  assert.equal(await run('read_file', { path: 'a.txt' }), 'a.txt: lines 1 to 4 of 4\none\n\ttwo \r\nthree\nfour')
  const part = 'a.txt: lines 2 to 3 of 4\n\ttwo \r\nthree\n[1 more line: offset 4]'
  assert.equal(await run('read_file', { path: 'a.txt', offset: 2, limit: 2 }), part)
  assert.equal(await run('read_file', { path: 'a.txt', offset: 9 }), 'error: a.txt has 4 lines; there is no line 9')
  assert.equal(await run('read_file', { path: 'bom.txt' }), 'bom.txt: lines 1 to 1 of 1\nx')
  assert.equal(await run('read_file', { path: 'empty.txt' }), 'empty.txt: empty')
})

test('a long file is read 400 lines at a time, and a long line is cut', async (t) => {
  const { run } = await workspace(t, { long: 'x\n'.repeat(1000), wide: 'y'.repeat(5000) })
  const long = await run('read_file', { path: 'long' })
  assert.ok(long.startsWith('long: lines 1 to 400 of 1000\nx\n') && long.endsWith('\nx\n[600 more lines: offset 401]'))
  const wide = await run('read_file', { path: 'wide' })
  assert.ok(wide.endsWith('yyy...[line cut: 2000 of 5000 characters shown]'))
})

test('a binary file is named and not pasted', async (t) => {
  const { run, folder } = await workspace(t, {
    'photo.png': Buffer.from([0x89, 0x50, 0, 1]),
    latin: Buffer.from([0x63, 0xe9]),
    'dir/x': '',
  })
  execFileSync('mkfifo', [join(folder, 'pipe')])
  const read = (path: string) => run('read_file', { path })
  assert.equal(await read('photo.png'), 'error: photo.png is a binary file of 4 bytes: it is not shown as text')
  assert.equal(await read('latin'), 'error: latin is a binary file of 2 bytes: it is not shown as text')
  assert.equal(await read('dir'), 'error: dir is a folder; list_files shows what is in it')
  assert.equal(await read('pipe'), 'error: pipe is a pipe, a socket or a device, not a file')
  await writeFile(join(folder, 'huge'), '')
  await truncate(join(folder, 'huge'), 17 * 1024 * 1024)
  assert.match(await read('huge'), /^error: huge is too large: it holds 17825792 bytes/)
})

test('a search answers path, line and text, in the order of the paths', async (t) => {
  const { run } = await workspace(t, {
    'b.txt': 'nothing\nfind me here\n',
    'a/c.md': 'find me',
    'a/d.bin': Buffer.from([0, 1]),
    'node_modules/x': 'find me',
  })
  const notes = '[not searched: 1 binary or too large]\n[left out: folders named node_modules]'
  const found = 'a/c.md:1: find me\nb.txt:2: find me here'
  assert.equal(await run('search_files', { pattern: 'find me' }), `${found}\n${notes}`)
  assert.equal(await run('search_files', { pattern: '^fin.', regex: true }), `${found}\n${notes}`)
  assert.equal(await run('search_files', { pattern: 'find', path: 'a', glob: '*.md' }), 'a/c.md:1: find me')
  assert.equal(await run('search_files', { pattern: 'find', path: 'b.txt' }), 'b.txt:2: find me here')
  assert.equal(await run('search_files', { pattern: 'fin.', path: 'b.txt' }), '(no line fits; 1 files searched)')
  assert.match(await run('search_files', { pattern: '(', regex: true }), /^error: Invalid regular expression/)
  assert.equal(await run('search_files', { pattern: 'x', path: 'none' }), 'error: none does not exist')
})

test('a search stops at 200 lines and shows the part of a long line that fits', async (t) => {
  const { run } = await workspace(t, { many: 'x\n'.repeat(500), wide: `${'a'.repeat(3000)}needle${'b'.repeat(3000)}` })
  const lines = (await run('search_files', { pattern: 'x', path: 'many' })).split('\n')
  assert.deepEqual(
    [lines.length, lines.at(-1)],
    [201, '[stopped after 200 lines: give a path, a glob or a longer pattern]'],
  )
  const wide = await run('search_files', { pattern: 'needle' })
  assert.ok(/^wide:1: …a{60}needleb{174}…$/.test(wide), wide)
})

test('a file name cannot pass for lines of an answer', async (t) => {
  const { run } = await workspace(t, { 'a\nsecret.txt:1: forged\u202e': 'find me' })
  const shown = 'a\\u{a}secret.txt:1: forged\\u{202e}'
  assert.equal(await run('list_files', {}), `${shown} 7`)
  assert.equal(await run('search_files', { pattern: 'find' }), `${shown}:1: find me`)
})

test('a write is planned with its diff and digests, and does what the plan shows', async (t) => {
  const { plan, text, folder } = await workspace(t, { 'a.txt': 'one\ntwo\n' })
  const planned = await plan('write_file', { path: 'a.txt', content: 'one\n2\n' })
  assert.ok(planned.type !== 'refused')
  assert.equal(planned.call.folder, folder)
  assert.equal(planned.call.diff, '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n')
  assert.deepEqual(planned.call.facts, {
    path: 'a.txt',
    before: 'c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8',
    after: 'b8c083898d90038ced2e04df2f932eefa7d187080dee0d9942be12c156d95034',
  })
  assert.equal(await text('a.txt'), 'one\ntwo\n')
  assert.deepEqual(await planned.run(), { ok: true, output: 'replaced a.txt (6 bytes)', meta: { bytes: 6 } })
  assert.equal(await text('a.txt'), 'one\n2\n')
})

test('a new file comes with the folders that it needs', async (t) => {
  const { plan, text } = await workspace(t)
  const planned = await plan('write_file', { path: 'docs/new/a.md', content: '# A\n' })
  assert.ok(planned.type !== 'refused')
  assert.equal(planned.call.diff, '--- /dev/null\n+++ b/docs/new/a.md\n@@ -0,0 +1,1 @@\n+# A\n')
  assert.equal(planned.call.facts?.['before'], 'new')
  assert.deepEqual(await planned.run(), { ok: true, output: 'created docs/new/a.md (4 bytes)', meta: { bytes: 4 } })
  assert.equal(await text('docs/new/a.md'), '# A\n')
})

test('of a new file all lines are shown, however many, as far as a person can be shown them', async (t) => {
  const { plan } = await workspace(t)
  const diffOf = async (content: string) => {
    const planned = await plan('write_file', { path: 'a', content })
    return planned.type === 'refused' ? undefined : planned.call.diff
  }
  assert.equal(await diffOf(''), '--- /dev/null\n+++ b/a\n')
  assert.equal(await diffOf('x'), '--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n')
  const long = await diffOf('x\n'.repeat(100_000))
  assert.ok(long !== undefined)
  assert.ok(long.startsWith('--- /dev/null\n+++ b/a\n@@ -0,0 +1,100000 @@\n+x\n+x\n'))
  assert.ok(long.endsWith('\n...[truncated: 100000 of 300043 characters shown]'), long.slice(-80))
})

test('a file that changed after the plan was shown stays as it is', async (t) => {
  const { plan, text, folder } = await workspace(t, { 'a.txt': 'one' })
  const replaced = await plan('write_file', { path: 'a.txt', content: 'two' })
  const created = await plan('write_file', { path: 'new.txt', content: 'mine' })
  await writeFile(join(folder, 'a.txt'), 'changed')
  await writeFile(join(folder, 'new.txt'), 'theirs')
  for (const planned of [replaced, created]) {
    assert.ok(planned.type !== 'refused')
    const result = await planned.run()
    assert.ok(!result.ok && result.error.includes('has changed since the change was shown'))
  }
  assert.deepEqual([await text('a.txt'), await text('new.txt')], ['changed', 'theirs'])
})

test('a folder that became a link after the plan was made leads nowhere', async (t) => {
  const { plan, folder, top } = await workspace(t, { 'dir/a.txt': 'one' })
  const planned = await plan('write_file', { path: 'dir/a.txt', content: 'two' })
  const created = await plan('write_file', { path: 'dir/deep/new.txt', content: 'two' })
  await mkdir(join(top, 'outside'))
  await writeFile(join(top, 'outside/a.txt'), 'one')
  await rename(join(folder, 'dir'), join(folder, 'moved'))
  await symlink(join(top, 'outside'), join(folder, 'dir'))
  for (const one of [planned, created]) {
    assert.ok(one.type !== 'refused')
    assert.equal((await one.run()).ok, false)
  }
  assert.equal(await readFile(join(top, 'outside/a.txt'), 'utf8'), 'one')
  await assert.rejects(stat(join(top, 'outside/deep')))
})

test('permission bits stay, and nothing is left beside the file', async (t) => {
  const { plan, folder, run } = await workspace(t)
  await writeFile(join(folder, 'run.sh'), 'old', { mode: 0o751 })
  const planned = await plan('write_file', { path: 'run.sh', content: 'new' })
  assert.ok(planned.type !== 'refused' && (await planned.run()).ok)
  assert.equal((await stat(join(folder, 'run.sh'))).mode & 0o777, 0o751)
  assert.equal(await run('list_files', {}), 'run.sh 3')
})

test('a link within the workspace is written through, and stays a link', async (t) => {
  const { plan, folder, text } = await workspace(t, { 'a.txt': 'one' })
  await symlink('a.txt', join(folder, 'link'))
  const planned = await plan('write_file', { path: 'link', content: 'two' })
  assert.ok(planned.type !== 'refused' && (await planned.run()).ok)
  assert.deepEqual([await text('a.txt'), await text('link')], ['two', 'two'])
})

test('writes that cannot be made are refused before anybody is asked', async (t) => {
  const { plan, folder } = await workspace(t, { 'a.txt': 'one', 'dir/x': '', 'photo.png': Buffer.from([0]) })
  execFileSync('mkfifo', [join(folder, 'pipe')])
  const refused = async (path: string, content = 'two') => {
    const planned = await plan('write_file', { path, content })
    assert.equal(planned.type, 'refused', path)
    return planned.type === 'refused' && !planned.result.ok ? planned.result.error : ''
  }
  assert.equal(await refused('a.txt', 'one'), 'a.txt already holds exactly this text')
  assert.equal(await refused('dir'), 'dir is a folder, not a file')
  assert.equal(await refused('.'), '. is a folder, not a file')
  assert.match(await refused('photo.png'), /binary/)
  assert.match(await refused('pipe'), /a pipe/)
  assert.match(await refused('a.txt', 'a\0'), /NUL/)
  assert.match(await refused('a.txt', 'a\ud800'), /half a character/)
  assert.match(await refused('a.txt/b'), /a file, not a folder/)
  assert.match(await refused('../b'), /outside the workspace/)
  assert.match(await refused('closed/b'), /out of reach/)
  for (const path of ['.git/config', 'dir/.GIT/hooks/x', '.g\u200cit/config'])
    assert.match(await refused(path), /git run/)
  for (const path of ['AGENTS.md', 'agents.MD', '.agents/skills/x/SKILL.md'])
    assert.match(await refused(path), /instructions/)
})

test('what a file of the owner leads to is not written under its own name', async (t) => {
  const { plan, folder } = await workspace(t, {
    'docs/rules.md': 'rules',
    'docs/free.md': 'free',
    'sub/.git': 'gitdir: ../bare\n',
    '.git/config': '[core]\n\thooksPath = docs/hooks\n',
    '.git/hooks/sample': '',
    'scripts/check': '',
    'bare/config': '',
  })
  await symlink('docs/rules.md', join(folder, 'CLAUDE.md'))
  await symlink('../missing.md', join(folder, 'sub/AGENTS.md'))
  await symlink('../../scripts/check', join(folder, '.git/hooks/pre-commit'))
  for (const path of [
    'docs/rules.md',
    'missing.md',
    'docs/hooks/pre-push',
    'bare/config',
    'bare/hooks/x',
    'scripts/check',
  ]) {
    const planned = await plan('write_file', { path, content: 'taken' })
    assert.ok(planned.type === 'refused' && !planned.result.ok, path)
    assert.match(planned.result.error, /out of reach for changes: a file that agents, editors or Git obey leads to it/)
  }
  for (const path of ['docs/free.md', 'hooks/pre-push', 'sub/bare/config']) {
    assert.notEqual((await plan('write_file', { path, content: 'fine' })).type, 'refused')
  }
})

test('no file makes a folder one that Git takes for a repository, and in one its settings are not written', async (t) => {
  const { plan, run, folder } = await workspace(t, {
    'bare/HEAD': 'ref: refs/heads/main\n',
    'bare/refs/heads/main': '',
    'own.git/HEAD': '',
    'own.git/objects/a': '',
    'own.git/refs/a': '',
    'tree/HEAD': '',
    'bare/config': '',
  })
  for (const path of [
    'bare/objects/a',
    'bare/OBJECTS/a',
    'own.git/config',
    'own.git/hooks/post-checkout',
    'own.git/commondir',
    'own.git/config.worktree',
    'own.git/HEAD',
    'tree/commondir',
  ]) {
    const planned = await plan('write_file', { path, content: '[core]' })
    assert.ok(planned.type === 'refused' && !planned.result.ok, path)
    assert.match(planned.result.error, /makes Git run programs; only its owner changes it/)
  }
  for (const path of ['bare/config', 'bare/hooks/a', 'own.git/description', 'own.git/objects/b', 'tree/refs/a']) {
    assert.notEqual((await plan('write_file', { path, content: 'fine' })).type, 'refused', path)
  }
  // Each part of it alone may be made, and each was planned when the others were not there.
  const parts = ['new/HEAD', 'new/objects/a', 'new/refs/a']
  const said = await Promise.all(parts.map((path) => run('write_file', { path, content: 'x' })))
  assert.equal(said.filter((one) => one.startsWith('error')).length, 1, said.join('\n'))
  assert.equal((await readdir(join(folder, 'new'))).length, 2)
})

test('a workspace is searched once for what its owner’s files lead to, and again where one of them leads elsewhere', async (t) => {
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`d${index}/a.md`, '']))
  const { plan, folder } = await workspace(t, { ...files, 'one/rules.md': '', 'two/a.md': '' })
  await symlink('one', join(folder, 'docs'))
  await symlink('docs/rules.md', join(folder, 'CLAUDE.md'))
  const listed = t.mock.method(promises, 'readdir')
  syncBuiltinESMExports()
  t.after(() => (listed.mock.restore(), syncBuiltinESMExports()))
  const foldersListed = async (path: string, expected: 'refused' | 'allowed') => {
    listed.mock.resetCalls()
    assert.equal((await plan('write_file', { path, content: 'new' })).type, expected, path)
    return listed.mock.callCount()
  }
  assert.ok((await foldersListed('one/rules.md', 'refused')) > 40)
  for (let index = 0; index < 20; index++) assert.ok((await foldersListed(`d${index}/a.md`, 'allowed')) < 6)
  assert.ok((await foldersListed('two/rules.md', 'allowed')) < 6)
  await rm(join(folder, 'docs'))
  await symlink('two', join(folder, 'docs'))
  assert.ok((await foldersListed('two/rules.md', 'refused')) > 40)
  await rm(join(folder, 'CLAUDE.md'))
  assert.ok((await foldersListed('two/rules.md', 'allowed')) > 40)
})

test('every name of the table is refused or asks and says why, whatever is allowed', async (t) => {
  const { plan } = await workspace(t)
  for (const { level, by, names } of obeyedNames) {
    for (const name of names.split(' ')) {
      const planned = await plan('write_file', { path: `sub/${name.replace('*', 'any')}`, content: 'x' })
      if (level === 'never') {
        assert.ok(planned.type === 'refused' && !planned.result.ok, name)
        assert.match(planned.result.error, /out of reach for changes/)
      } else {
        assert.ok(planned.type === 'ask', name)
        assert.equal(planned.call.facts!['why'], `it decides what is run by ${by}: a change of it always asks`)
      }
    }
  }
})

test('an edit replaces the one place that holds exactly the old text', async (t) => {
  const { plan, text } = await workspace(t, { 'a.ts': '\uFEFFconst a = 1\r\nconst b = 1\r\n' })
  const planned = await plan('edit_file', { path: 'a.ts', old_text: 'b = 1', new_text: "b = '$&'" })
  assert.ok(planned.type !== 'refused')
  assert.deepEqual(await planned.run(), { ok: true, output: 'edited a.ts (1 place)', meta: { bytes: 32 } })
  assert.equal(await text('a.ts'), "\uFEFFconst a = 1\r\nconst b = '$&'\r\n")
})

test('a changed file keeps how its lines end, its byte order mark and its encoding', async (t) => {
  const utf16 = Buffer.from('\ufeffone\r\nGröße\r\n', 'utf16le')
  const files: Readonly<Record<string, string | Uint8Array>> = {
    windows: 'one\r\ntwo\r\n',
    marked: '\ufeffone\n',
    mac: 'one\rtwo\r',
    mixed: 'one\r\ntwo\nthree\rone\nfour',
    utf16,
    big: Buffer.from(utf16).swap16(),
    western: Buffer.from('Gr\xf6\xdfe in \x80\r\n', 'latin1'),
    broken: Buffer.concat([Buffer.from('Größe und Äpfel. '.repeat(20)), Buffer.of(0xff)]),
  }
  const edit = (path: string, old_text: string, new_text: string) =>
    ['edit_file', { path, old_text, new_text }] as const
  const write = (path: string, content: string) => ['write_file', { path, content }] as const
  const cases: readonly (readonly [readonly [string, { readonly path: string }], string | Uint8Array | RegExp])[] = [
    [edit('windows', 'one\ntwo', 'one\n2\n3'), 'one\r\n2\r\n3\r\n'],
    [edit('windows', 'two', 'two\nthree'), 'one\r\ntwo\r\nthree\r\n'],
    [edit('windows', 'one\r\ntwo', 'one\n2'), 'one\r\n2\r\n'],
    [write('windows', 'one\ntwo\r\nthree'), 'one\r\ntwo\r\nthree'],
    [write('marked', 'two\n'), '\ufefftwo\n'],
    [write('marked', '\ufefftwo\n'), '\ufefftwo\n'],
    [edit('marked', 'one', 'two'), '\ufefftwo\n'],
    [edit('mac', 'one\ntwo', 'a\nb\nc'), 'a\rb\rc\r'],
    [edit('mixed', 'two\nthree\none', '2\n3\n1'), 'one\r\n2\n3\r1\nfour'],
    [edit('mixed', '\r\n', '\n'), 'one\ntwo\nthree\rone\nfour'],
    [edit('utf16', 'one\nGröße', 'zwei\nMaß'), Buffer.from('\ufeffzwei\r\nMaß\r\n', 'utf16le')],
    [write('big', '汉字\n'), Buffer.from('\ufeff汉字\r\n', 'utf16le').swap16()],
    [edit('western', '€', '£'), Buffer.from('Gr\xf6\xdfe in \xa3\r\n', 'latin1')],
    [edit('western', '€', '汉'), /western is in windows-1252, which cannot hold the new text/],
    [write('western', '汉字\n'), '汉字\r\n'],
    [edit('broken', 'Größe', 'x'), /broken holds bytes that are not valid utf-8|was found 20 times/],
    [write('new', '\ufeffa\r\nb\n'), '\ufeffa\r\nb\n'],
  ]
  for (const [[tool, input], right] of cases) {
    // oxlint-disable no-await-in-loop -- one after another reads better when it fails
    const { plan, folder } = await workspace(t, files)
    const planned = await plan(tool, input)
    if (right instanceof RegExp) {
      assert.ok(planned.type === 'refused' && !planned.result.ok)
      assert.match(planned.result.error, right)
      continue
    }
    assert.ok(planned.type !== 'refused', JSON.stringify(planned))
    assert.ok((await planned.run()).ok)
    assert.deepEqual(await readFile(join(folder, input.path)), Buffer.from(right as Uint8Array), JSON.stringify(input))
    // oxlint-enable no-await-in-loop
  }
})

test('text of other systems is read and searched, and its encoding is named', async (t) => {
  const { run } = await workspace(t, {
    'utf16.txt': Buffer.from('\ufeffhigh water, Größe\r\n', 'utf16le'),
    'latin.txt': Buffer.from('high water, Gr\xf6\xdfe\n', 'latin1'),
    'nul.log': Buffer.concat([Buffer.alloc(640), Buffer.from('high water\n')]),
    'dos.txt': 'high water\r\n\x1a',
    'mac.txt': 'high water\rlow water\r',
    'marked.txt': '\ufeffhigh water\r\n',
    'nothing.log': Buffer.alloc(640),
  })
  const read = (path: string) => run('read_file', { path })
  assert.equal(await read('utf16.txt'), 'utf16.txt (utf-16le): lines 1 to 1 of 1\nhigh water, Größe\r')
  assert.equal(await read('latin.txt'), 'latin.txt (windows-1252): lines 1 to 1 of 1\nhigh water, Größe')
  assert.equal(await read('nul.log'), 'nul.log (640 NUL bytes left out): lines 1 to 1 of 1\nhigh water')
  assert.equal(await read('dos.txt'), 'dos.txt: lines 1 to 1 of 1\nhigh water\r')
  assert.equal(await read('mac.txt'), 'mac.txt: lines 1 to 2 of 2\nhigh water\nlow water')
  const found = ['dos', 'latin', 'mac', 'marked', 'nul', 'utf16'].map(
    (name) => `${name}.${name === 'nul' ? 'log' : 'txt'}:1: high water`,
  )
  found[1] += ', Größe'
  found[5] += ', Größe'
  const note = '[not searched: 1 binary or too large]'
  assert.equal(await run('search_files', { pattern: 'high water' }), [...found, note].join('\n'))
  assert.match(await run('search_files', { pattern: '^high water$', regex: true }), /^dos.*\nmac.*\nmarked.*\nnul/)
})

test('an edit that does not fit once says how it fails, and what comes nearest', async (t) => {
  const { run, plan, text } = await workspace(t, { 'a.ts': 'if (a) {\n\tgo()\n}\ngo()\n' })
  const edit = (old_text: string, path = 'a.ts') => run('edit_file', { path, old_text, new_text: 'x' })
  assert.match(await edit('go()'), /^error: old_text was found 2 times in a.ts: /)
  assert.equal(
    await edit('if (a) {\n  go()\n}'),
    'error: old_text was not found in a.ts: from line 1 on it is the same but for spaces:\nif (a) {\n\tgo()\n}',
  )
  assert.match(await edit('if (a) {\n\tstop()'), /only its first line does, at line 1:\nif \(a\) \{\n\tgo\(\)$/)
  assert.match(await edit('stop()'), /nor does its first line/)
  assert.match(await edit('a', 'none'), /none does not exist; write_file creates a file/)
  assert.match(await edit(''), /^error: invalid input/)
  const all = await plan('edit_file', { path: 'a.ts', old_text: 'go()', new_text: 'stop()', replace_all: true })
  assert.ok(all.type !== 'refused')
  assert.deepEqual(await all.run(), { ok: true, output: 'edited a.ts (2 places)', meta: { bytes: 26 } })
  assert.equal(await text('a.ts'), 'if (a) {\n\tstop()\n}\nstop()\n')
})

test('an edit that would blow a file up is refused', async (t) => {
  const { run } = await workspace(t, { a: 'a'.repeat(100_000) })
  const input = { path: 'a', old_text: 'a', new_text: 'b'.repeat(100_000), replace_all: true }
  assert.match(await run('edit_file', input), /would grow beyond/)
})

test('a change that is too large for a line-by-line view is shown by its size', async (t) => {
  const { plan } = await workspace(t, { a: 'a\n'.repeat(10_000) })
  const planned = await plan('write_file', { path: 'a', content: 'b\n'.repeat(9000) })
  assert.ok(planned.type !== 'refused')
  assert.equal(planned.call.diff, '--- a/a\n+++ b/a\n[too many changes to show: 10000 lines become 9000]\n')
})

test('a name is found whatever form its characters have on the disk, and stays as it is there', async (t) => {
  const [composed, apart] = ['Menü/Café.txt', 'Menü/Café.txt'.normalize('NFD')]
  for (const [stored, asked] of [
    [composed, apart],
    [apart, composed],
  ] as const) {
    const { run, folder } = await workspace(t, { [stored]: 'tea\n' })
    const [directory, name] = stored.split('/') as [string, string]
    assert.equal(await run('read_file', { path: asked }), `${stored}: lines 1 to 1 of 1\ntea`)
    assert.equal(await run('list_files', { path: asked.split('/')[0]! }), `${stored} 4`)
    assert.equal(await run('list_files', { glob: asked }), `${stored} 4`)
    assert.equal(await run('search_files', { pattern: 'tea', path: asked }), `${stored}:1: tea`)
    assert.equal(await run('search_files', { pattern: 'tea', glob: 'Caf?.txt' }), `${stored}:1: tea`)
    await run('write_file', { path: asked, content: 'coffee\n' })
    await run('edit_file', { path: asked, old_text: 'coffee', new_text: 'milk' })
    await run('write_file', { path: `${asked.split('/')[0]!}/new.txt`, content: '' })
    assert.deepEqual(await readdir(folder), [directory])
    assert.deepEqual((await readdir(join(folder, directory))).toSorted(), [name, 'new.txt'].toSorted())
    assert.equal(await readFile(join(folder, stored), 'utf8'), 'milk\n')
  }
})

test('two names that only the form of their characters tells apart are two files, and are shown so', async (t) => {
  const [composed, apart] = ['é.txt', 'é.txt'.normalize('NFD')]
  const { run, text } = await workspace(t, { [composed]: 'one', [apart]: 'two' })
  assert.equal(await run('list_files', {}), 'e\\u{301}.txt 3\né.txt 3')
  assert.equal(await run('search_files', { pattern: 'two' }), 'e\\u{301}.txt:1: two')
  assert.match(await run('read_file', { path: composed }), /one$/)
  assert.match(await run('read_file', { path: apart }), /two$/)
  await run('edit_file', { path: apart, old_text: 'two', new_text: 'three' })
  assert.deepEqual([await text(composed), await text(apart)], ['one', 'three'])
})
