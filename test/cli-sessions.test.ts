import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type TestContext } from 'node:test'
import { createForeword } from '../src/foreword.ts'
import { storePath } from './cli/store-path.ts'
import { openStore } from '../src/session.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { systemClock } from '../src/platform.ts'

async function withSession(context: TestContext) {
  const { home, environment } = temporaryHome(context)
  const ask = (words: readonly string[], input?: string) =>
    run(words, { environment, ...(input === undefined ? {} : { input }) })
  const sent = JSON.parse((await ask(['send', '/say Good day.', '--json'])).stdout)
  return { home, ask, session: sent.sessionId as string }
}

test('an empty home has no sessions, and looking makes none', async (context) => {
  const { environment } = temporaryHome(context)
  assert.deepEqual(await run(['sessions', '--json'], { environment }), { code: 0, stdout: '', stderr: '' })
  const shown = await run(['sessions', 'show', 'x'], { environment })
  assert.deepEqual([shown.code, shown.stdout], [1, ''])
  assert.match(shown.stderr, /No session matches "x"/)
})

test('on a narrow terminal a session has two lines, the second for its title; a wide one has columns', async (context) => {
  const { home, environment } = temporaryHome(context)
  const store = await openStore({ clock: systemClock, path: storePath(home) })
  const content = '日本語 and a title that is far too long for it'
  const input = {
    type: 'input',
    turn: 't',
    message: { role: 'user', content },
    tokens: { counter: 'chars@1', full: 1, least: 1 },
  } as const
  await store.append('session_1', [{ type: 'session-start' }, input], '2026-01-01T00:00:00.000Z')
  await store.close()
  const shown = async (columns: number) =>
    (await run(['sessions'], { environment, terminal: true, columns })).stdout.trimEnd().split('\n')
  assert.deepEqual(await shown(40), ['session_1  2026-01-01 00:00 UTC', '  日本語 and a title that is far too lo…'])
  assert.match(
    (await shown(100))[1]!,
    /^session_1 {2}2026-01-01 00:00 UTC +1 +日本語 and a title that is far too long for it$/,
  )
})

test('a title cannot turn the direction of reading or hide characters on a terminal; a pipe gets all of it', async (context) => {
  const { ask, session, home } = await withSession(context)
  await ask(['sessions', 'rename', session, 'pay \u202Eeman\u202C 1\u200B0\u2066'])
  const environment = { FOREWORD_HOME: home, FOREWORD_MODEL: 'rehearsal', NO_COLOR: '1' }
  const { stdout } = await run(['sessions'], { environment, terminal: true })
  assert.match(stdout, /pay \\u\{202e\}eman\\u\{202c\} 1\\u\{200b\}0/)
  assert.doesNotMatch(stdout, /[\u200B\u202A-\u202E\u2066-\u2069]/)
  assert.match((await ask(['sessions'])).stdout, /\u202E/)
})

test('no listing is wider than the terminal', async (context) => {
  const { home, environment } = temporaryHome(context)
  const named = (word: string) => `${word} with a name that is longer than a narrow terminal`
  const file = join(home, `${named('a file')}.txt`)
  mkdirSync(home, { recursive: true })
  writeFileSync(file, 'Something.')
  for (const words of [
    ['agents', 'new', '--name', named('Poet'), '--prompt', 'Rhyme. '.repeat(30)],
    ['projects', 'new', '--name', named('Sea')],
    ['subjects', 'new', 'a-subject-with-a-name-that-is-longer-than-most'],
    ['files', 'add', file],
    ['skills', 'new', 'notes'],
    ['tools', 'allow', 'read_file'],
  ]) {
    const { code, stderr } = await run(words, { environment })
    assert.equal(code, 0, `${words.join(' ')}: ${stderr}`)
  }
  for (const [listing, head] of [
    ['tools', /^tool +access +tokens$/],
    ['agents', /^id +name/],
    ['projects', /^id +name/],
    ['subjects', /^id /],
    ['files', /^id +name/],
    ['skills', /^skill +full/],
    ['audit', /^time +outcome/],
  ] as const) {
    const lines = async (columns: number) =>
      (await run([listing], { environment, terminal: true, columns })).stdout.split('\n')
    const narrow = await lines(40)
    assert.match(narrow[0]!, head, listing)
    const table = narrow.slice(0, narrow.indexOf(''))
    assert.ok(table.length > 1, listing)
    assert.deepEqual(
      table.filter(({ length }) => length > 40),
      [],
    )
    assert.ok((await lines(300))[0]!.length > narrow[0]!.length, listing)
  }
})

test('a message to an unknown model is rejected before a session is created for it', async (context) => {
  const { environment } = temporaryHome(context)
  assert.equal((await run(['agents', 'new', '--name', 'Poet', '--prompt', 'Rhyme.'], { environment })).code, 0)
  const refused = await run(['send', 'hello', '--agent', 'Poet', '--model', 'rehersal'], { environment })
  assert.deepEqual([refused.code, /Did you mean rehearsal\?/.test(refused.stderr)], [1, true])
  assert.equal((await run(['sessions'], { environment })).stdout, '')
})

test('a model that its provider does not have is not proposed for itself', async (context) => {
  const { environment } = temporaryHome(context)
  const refused = await run(['send', '/fail model-not-found', '--model', 'rehearsal'], { environment })
  assert.deepEqual([refused.code, /Did you mean rehearsal\?/.test(refused.stderr)], [1, false])
})

test('sessions and calls are named by a beginning that only one has, or as the last ones', async (context) => {
  const { home, ask, session } = await withSession(context)
  const store = await openStore({ clock: systemClock, path: storePath(home) })
  for (const id of ['copy_1', 'copy_12', 'copy_13'])
    await store.append(id, [{ type: 'session-start' }], '2026-01-01T00:00:00.000Z')
  await store.close()
  const [made] = (await ask(['calls', 'last', '--json'])).stdout.trim().split('\n')
  const call = JSON.parse(made!)
  assert.equal(call.session, session)
  assert.equal(JSON.parse((await ask(['sessions', 'show', session.slice(8, 14), '--json'])).stdout).session.id, session)
  assert.equal(JSON.parse((await ask(['sessions', 'show', 'copy_1', '--json'])).stdout).session.id, 'copy_1')
  assert.match((await ask(['sessions', 'export', 'copy_12'])).stdout, /"copy_12"/)
  const named: (readonly [readonly string[], RegExp])[] = [
    [['replay', session.slice(0, -2)], /^1 of 1 identical/],
    [['context', session.slice(8, -2)], /^history /m],
    [['audit', '--session', 'last'], /^$/],
    [['request', call.id.slice(5, 11)], /Good day\./],
    [['request', 'last', '--session', 'last'], /Good day\./],
    [['diff', 'last', call.id.slice(0, 12)], /^common beginning/],
    [['files', '--session', session.slice(8)], /^$/],
    [['send', 'Again.', '--session', 'last'], /./],
    [['diff', 'last~1', 'last'], /^\+ input/m],
    [['sessions', 'delete', session.slice(8, 16), '--yes'], /^$/],
    [['sessions', 'show', 'copy_13'], /^$/],
  ]
  for (const [words, expected] of named) {
    const { code, stdout, stderr } = await ask(words)
    assert.deepEqual([code, words, expected.test(stdout)], [0, words, true], stdout + stderr)
  }
  const several = await ask(['sessions', 'show', 'copy_', '--json'])
  assert.deepEqual([several.code, JSON.parse(several.stdout).error.code], [1, 'ambiguous'])
  assert.match(several.stderr, /3 sessions begin with copy_\..*\n  copy_1 .*\n  copy_12 .* 0 turns\n  copy_13 /)
  for (const words of [
    ['request', 'nothing'],
    ['request', 'last~99'],
    ['request', 'last', '--session', 'copy_13'],
  ]) {
    const { code, stderr } = await ask(words)
    assert.deepEqual([code, /No call matches .*\n.*foreword calls/.test(stderr)], [1, true], stderr)
  }
  assert.match((await ask(['replay', 'nothing'])).stderr, /No session matches "nothing"\.\n.*foreword sessions/)
})

test('an exported session comes back byte for byte', async (context) => {
  const { home, ask, session } = await withSession(context)
  const exported = await ask(['sessions', 'export', session])
  assert.equal(exported.code, 0)
  const file = join(home, 'session.jsonl')
  assert.equal((await ask(['sessions', 'export', session, '--output', file])).code, 0)
  assert.equal(readFileSync(file, 'utf8'), exported.stdout)

  assert.equal((await ask(['sessions', 'delete', session, '--yes'])).code, 0)
  assert.equal((await ask(['sessions', 'show', session])).code, 1)
  assert.deepEqual(JSON.parse((await ask(['sessions', 'import', file, '--json'])).stdout), { imported: session })
  assert.equal((await ask(['sessions', 'export', session])).stdout, exported.stdout)
  assert.equal((await ask(['replay', session])).stdout, '1 of 1 identical\n')
})

test('an import begins nothing: a turn that was not over is cancelled, and what it asked for does not run', async (context) => {
  const { ask, session } = await withSession(context)
  const lines = (await ask(['sessions', 'export', session])).stdout.trimEnd().split('\n')
  const call = { type: 'tool-call', toolCallId: 'c', toolName: 'shell', input: { cmd: 'touch pwned' } }
  const message = { role: 'assistant', content: [call] }
  const tokens = { counter: 'x', full: 1, least: 1 }
  const open = lines.map((line) => {
    const { entry } = JSON.parse(line)
    if (entry?.type !== 'turn-end') return line
    const { seq, time, turn } = entry
    return JSON.stringify({ entry: { seq, time, type: 'message', turn, message, tokens } })
  })
  assert.notDeepEqual(open, lines)
  assert.equal((await ask(['sessions', 'import', '-', '--as', 'copy'], open.join('\n'))).code, 0)
  const imported = (await ask(['sessions', 'export', 'copy'])).stdout.trimEnd().split('\n')
  const last = imported.map((line) => JSON.parse(line)).findLast((value) => value.entry)
  assert.deepEqual([last.entry.type, last.entry.outcome], ['turn-end', { type: 'cancelled' }])
})

test('an import takes another name where the first is taken, and half of one is refused', async (context) => {
  const { ask, session } = await withSession(context)
  const { stdout } = await ask(['sessions', 'export', session])
  const twice = await ask(['sessions', 'import', '-'], stdout)
  assert.equal(twice.code, 1)
  assert.match(twice.stderr, /already.*--as ID/s)
  assert.equal((await ask(['sessions', 'import', '-', '--as', 'copy'], stdout)).code, 0)
  const half = await ask(['sessions', 'import', '-', '--as', 'half'], stdout.split('\n').slice(0, 3).join('\n'))
  assert.equal(half.code, 1)
  assert.equal(
    half.stderr,
    'foreword sessions: Cannot import standard input. Line 4 of the export cannot be read: the export ends too early. Nothing was imported.\n',
  )
  assert.match((await ask(['sessions', 'import', '/nowhere.jsonl'])).stderr, /no such file/)
  assert.match((await ask(['sessions', 'import', tmpdir()])).stderr, /it is a folder/)
})

test('an import rejects ids that are not valid in a URL or in a line', async (context) => {
  const { ask, session } = await withSession(context)
  const { stdout } = await ask(['sessions', 'export', session])
  for (const id of ['a\nb', 'a b', '../x', '\u001b[31m', 'x'.repeat(201)]) {
    const { code, stderr } = await ask(['sessions', 'import', '-', `--as=${id}`], stdout)
    assert.equal(code, 1)
    assert.match(stderr, /^foreword sessions: Cannot import [^\n]+ is not a session id/)
    assert.ok(!stderr.includes('\u001b'))
  }
})

test('what was said while another turn was answered is shown behind that answer', async (context) => {
  const { home, ask } = await withSession(context)
  const tokens = { counter: 'chars@1', full: 1, least: 1 }
  const said = (turn: string, content: string) =>
    ({ type: 'input', turn, message: { role: 'user', content }, tokens }) as const
  const answered = (turn: string, content: string) =>
    ({ type: 'message', turn, message: { role: 'assistant', content }, tokens }) as const
  const store = await openStore({ clock: systemClock, path: storePath(home) })
  const bodies = [
    { type: 'session-start' } as const,
    said('t1', 'one'),
    said('t2', 'two'),
    answered('t1', 'first'),
    answered('t2', 'second'),
  ]
  await store.append('s', bodies, '2026-01-01T00:00:00.000Z')
  await store.close()
  const { stdout } = await ask(['sessions', 'show', 's'])
  assert.deepEqual(stdout.match(/> one|> two|first|second/g), ['> one', 'first', '> two', 'second'])
  for (const turn of ['2', 't2']) {
    assert.match((await ask(['sessions', 'show', 's', turn])).stdout, /^\nt2, .*\n> two\nsecond\n$/)
  }
  const none = await ask(['sessions', 'show', 's', '3'])
  assert.deepEqual([none.code, none.stdout], [1, ''])
  assert.match(none.stderr, /The session has no turn 3\.\n.*It has 2 turns\./)
})

test('a cancelled turn says so once, below its text', async (context) => {
  const { home, environment } = temporaryHome(context)
  const store = await openStore({ clock: systemClock, path: storePath(home) })
  const tokens = { counter: 'chars@1', full: 1, least: 1 }
  const bodies = [
    { type: 'session-start' },
    { type: 'input', turn: 't', message: { role: 'user', content: 'Tell me more.' }, tokens },
    { type: 'message', turn: 't', message: { role: 'assistant', content: 'Once' }, tokens, partial: 'cancelled' },
    { type: 'turn-end', turn: 't', outcome: { type: 'cancelled' } },
  ] as const
  await store.append('s', bodies, '2026-01-01T00:00:00.000Z')
  await store.close()
  const { stdout } = await run(['sessions', 'show', 's'], { environment })
  assert.match(stdout, /> Tell me more\.\nOnce\n\(cancelled\)\n$/)
})

test('every call is shown with what became of it, the refused and the open ones too', async (context) => {
  const { home, ask } = await withSession(context)
  const tokens = { counter: 'chars@1', full: 1, least: 1 }
  const calls = (...names: readonly string[]) =>
    ({
      type: 'message',
      turn: 't1',
      message: {
        role: 'assistant',
        content: names.map((name) => ({
          type: 'tool-call' as const,
          toolCallId: name,
          toolName: name,
          input: { n: 1 },
        })),
      },
      tokens,
    }) as const
  const result = (name: string, type: 'text' | 'error-text', value: string) =>
    ({ type: 'tool-result', toolCallId: name, toolName: name, output: { type, value } }) as const
  const results = [
    result('denied', 'error-text', 'no'),
    result('runs', 'text', 'fine'),
    result('cut', 'error-text', 'lost'),
  ]
  const start = (name: string) =>
    ({ type: 'tool-start', turn: 't1', call: 'c', toolCallId: name, toolName: name, input: { n: 1 } }) as const
  const store = await openStore({ clock: systemClock, path: storePath(home) })
  const bodies = [
    { type: 'session-start' } as const,
    { type: 'input', turn: 't1', message: { role: 'user', content: 'Go.' }, tokens } as const,
    calls('denied', 'runs', 'cut'),
    start('runs'),
    start('cut'),
    { type: 'message', turn: 't1', message: { role: 'tool', content: results }, tokens } as const,
    calls('open'),
    start('open'),
  ]
  await store.append('s', bodies, '2026-01-01T00:00:00.000Z')
  await store.close()
  const { stdout } = await ask(['sessions', 'show', 's'])
  assert.deepEqual(stdout.trimEnd().split('\n').slice(3), [
    '✗ denied {"n":1}',
    '  failed: no',
    '→ runs {"n":1}',
    '  ok: fine',
    '→ cut {"n":1}',
    '  failed: lost',
    '? open {"n":1}',
    '  has not ended yet',
  ])
})

test('nothing is deleted without a yes', async (context) => {
  const { ask, session } = await withSession(context)
  const refused = await ask(['sessions', 'delete', session])
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, /--yes/)
  assert.equal((await ask(['sessions', 'show', session])).code, 0)
  const unknown = await ask(['sessions', 'delete', 'nobody', '--yes'])
  assert.equal(unknown.code, 1)
})

test('show prints what was said, or every entry as JSON', async (context) => {
  const { ask, session } = await withSession(context)
  assert.match((await ask(['sessions', 'show', session])).stdout, /> \/say Good day\.\nGood day\.\n/)
  const shown = JSON.parse((await ask(['sessions', 'show', session, '--json'])).stdout)
  assert.equal(shown.session.id, session)
  assert.deepEqual([shown.entries[0].type, shown.entries.at(-1).type], ['session-start', 'turn-end'])
})

test('after /new in the terminal the session before is remembered, shown with its price and source, and forgotten', async (context) => {
  const { environment } = temporaryHome(context)
  const ask = (words: readonly string[], input?: string) =>
    run(words, { environment, ...(input === undefined ? {} : { input }) })
  const none = await ask(['memory'])
  assert.deepEqual([none.code, none.stdout], [1, ''])
  assert.match(none.stderr, /No sessions yet\./)

  await ask(['config', 'set', 'context.layout', 'ayati'])
  await ask(['chat'], 'My boat is called Marigold.\n/new\nWhat is my boat called?\n')
  const shown = await ask(['memory'])
  assert.match(
    shown.stdout,
    /^session (\S+)\n\nmemory, \d+ tokens, from session (?!\1)\S+\n# Memory\n\n.*\n\n## Previous Session Summary\n\n- When: .*, 1 turn\n- Asked: My boat is called Marigold\.\n/,
  )
  assert.match(
    shown.stdout,
    /\n\nits own summary, for the next session, by rule from its log\n- When: .*\n- Asked: What is my boat called\?\n/,
  )
  const json = JSON.parse((await ask(['memory', 'show', '--json'])).stdout)
  assert.deepEqual(json.on, { previousSession: true, toolHistory: true })
  const [{ id, tokens, from }] = json.layers
  assert.deepEqual([id, tokens > 40, from.length], ['memory', true, 1])

  const first: string = from[0]
  const unasked = await ask(['memory', 'forget', first.slice(0, -2)])
  assert.match(unasked.stderr, /Add `--yes` to confirm/)
  assert.deepEqual(JSON.parse((await ask(['memory', 'forget', first, '--yes', '--json'])).stdout), { forgotten: first })
  assert.match((await ask(['memory'])).stdout, /\n\nmemory: nothing\n/)
  assert.match(
    (await ask(['memory', 'show', first.slice(0, -2)])).stdout,
    /This session is forgotten: no other session remembers anything of it\./,
  )
  const gone = await ask(['memory', 'forget', 'nowhere', '--yes'])
  assert.match(gone.stderr, /No session matches "nowhere"/)
  assert.doesNotMatch((await ask(['doctor'])).stdout, /texts? (is|are) missing/)
})

test('a home from before 0.2.0 is refused as it is, and every command says the way out', async (context) => {
  const { home, environment } = temporaryHome(context)
  await run(['send', '/say Good day.'], { environment })
  const database = new DatabaseSync(storePath(home))
  // As before 0.2.0: nothing in the header, and versions that were counted otherwise.
  database.exec('pragma application_id = 0; update schema_version set version = 10')
  database.close()
  const before = filesIn(home)
  for (const words of [['send', 'Hello.'], ['sessions'], ['usage'], ['doctor'], ['compact']]) {
    const { code, stdout, stderr } = await run(words, { environment })
    assert.equal(code, 1)
    assert.match(stdout + stderr, /foreword\.sqlite was made before Foreword 0\.2\.0 and cannot be opened/)
    assert.match(stdout + stderr, /`foreword sessions export ID.+`foreword sessions import FILE --home NEW_HOME`/)
    assert.deepEqual(filesIn(home), before)
  }
  await assert.rejects(createForeword({ home }), { code: 'older', hint: /export/ })
  assert.deepEqual(filesIn(home), before)
})

function filesIn(folder: string) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
  return names.map((name) => {
    const path = join(folder, name)
    return [name, statSync(path).isFile() ? readFileSync(path, 'base64') : '']
  })
}
