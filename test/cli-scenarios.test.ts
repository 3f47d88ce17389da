import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { run } from './cli/recorded-io.ts'

function scenario(name: string, tokens = 2): Record<string, unknown> {
  return {
    name,
    budget: { window: 100, reserve: 50, margin: 0 },
    counter: 'declared',
    layers: [{ id: 'base', layer: 'system-prompt', text: 'You are helpful.', tokens: 10 }],
    history: [],
    current: { id: 't1', messages: [{ role: 'user', content: 'Hi', tokens }] },
  }
}

function folder(context: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'foreword-scenarios-'))
  context.after(() => rmSync(path, { recursive: true }))
  return path
}

test('assemble prints the outline of a scenario from a pipe', async () => {
  const { code, stdout } = await run(['assemble', '-'], { input: JSON.stringify(scenario('one')) })
  assert.equal(code, 0)
  assert.match(stdout, /^window 100, reserve 50: used 12 of 50\n/)
})

test('assemble --json prints one result per scenario per line, an overflow among them', async () => {
  const input = [scenario('fits'), scenario('too large', 99)].map((one) => JSON.stringify(one)).join('\n')
  const { code, stdout } = await run(['assemble', '-', '--json'], { input })
  const results = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(code, 0)
  assert.deepEqual(
    results.map(({ name, error }) => [name, error?.code]),
    [
      ['fits', undefined],
      ['too large', 'context-overflow'],
    ],
  )
})

test('assemble reads a file that holds one document, with comments too, an array, or JSON Lines', async (context) => {
  const path = folder(context)
  const [one, other] = [JSON.stringify(scenario('one')), JSON.stringify(scenario('other', 3))]
  const files = {
    'one.json': `// pinned\n${one}\n`,
    'all.json': `[${one},\n${other}]`,
    'all.jsonl': `${one}\n${other}\n`,
  }
  const names = async (name: string) => {
    const { code, stdout } = await run(['assemble', join(path, name), '--json'])
    assert.equal(code, 0)
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { name: string }).name)
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  assert.deepEqual(await names('one.json'), ['one'])
  assert.deepEqual(await names('all.json'), ['one', 'other'])
  assert.deepEqual(await names('all.jsonl'), ['one', 'other'])
})

test('several outlines have their names as headings, and an overflow is marked', async () => {
  const { stdout } = await run(['assemble', '-'], { input: JSON.stringify([scenario('a'), scenario('b', 99)]) })
  assert.match(stdout, /^# a\nwindow 100/)
  assert.match(stdout, /\n\n# b\nwindow 100/)
  assert.match(stdout, /\ncontext-overflow: /)
})

test('assemble names the file and the problem of what is no scenario', async () => {
  const broken = await run(['assemble', '-'], { input: '{"name": "x", "budget": 3}' })
  assert.equal(broken.code, 1)
  assert.match(broken.stderr, /standard input: Scenario "x" is not valid:\n {2}budget: /)
  const missing = await run(['assemble', '/nowhere/x.json'])
  assert.deepEqual(missing, {
    code: 1,
    stdout: '',
    stderr: 'foreword assemble: Cannot read /nowhere/x.json: no such file or folder.\n',
  })
})

test('an exact tokenizer is loaded where a scenario asks for it', async () => {
  const input = JSON.stringify({ ...scenario('exact'), counter: 'o200k' })
  assert.equal((await run(['assemble', '-'], { input })).code, 0)
})

test('check tells a missing outline, writes it on request, and is content then', async (context) => {
  const path = folder(context)
  mkdirSync(join(path, 'deep'))
  const file = join(path, 'deep', 'one.json')
  writeFileSync(file, JSON.stringify(scenario('one')))
  const missing = await run(['check', path])
  assert.equal(missing.code, 1)
  assert.equal(
    missing.stdout,
    `missing ${file}\n  no ${file}.outline.txt\n0 of 1 the same, 1 missing; write the outlines with \`--update\`\n`,
  )
  assert.deepEqual(await run(['check', path, '--update']), {
    code: 0,
    stdout: `updated ${file}\n0 of 1 the same, 1 updated\n`,
    stderr: '',
  })
  const assembled = await run(['assemble', file])
  assert.equal(readFileSync(`${file}.outline.txt`, 'utf8'), assembled.stdout)
  assert.deepEqual(await run(['check', path]), { code: 0, stdout: '1 of 1 the same\n', stderr: '' })
})

test('check shows line by line what differs', async (context) => {
  const path = folder(context)
  const file = join(path, 'one.jsonl')
  writeFileSync(file, JSON.stringify(scenario('one')))
  await run(['check', path, '--update'])
  writeFileSync(file, JSON.stringify(scenario('one', 7)))
  const { code, stdout } = await run(['check', path])
  assert.equal(code, 1)
  assert.match(stdout, /^differs .*one\.jsonl\n {2}- window 100, reserve 50: used 12 of 50\n {2}\+ window .* used 17 /)
  const json = JSON.parse((await run(['check', path, '--json'])).stdout)
  assert.deepEqual(Object.keys(json), ['file', 'result', 'diff'])
})

test('check shows one change among 9,000 lines with its neighbours alone', async (context) => {
  const path = folder(context)
  const layers = Array.from({ length: 9000 }, (_, index) => ({ id: `l${index}`, layer: 'soul', text: 'x', tokens: 0 }))
  const write = (all: typeof layers) =>
    writeFileSync(join(path, 'long.json'), JSON.stringify({ ...scenario('long'), layers: all }))
  write(layers)
  await run(['check', path, '--update'])
  write(layers.with(4000, { ...layers[4000]!, tokens: 1 }))
  const { code, stdout } = await run(['check', path])
  assert.equal(code, 1)
  const changed = stdout.split('\n').filter((line) => /^ {2}[-+]/.test(line))
  assert.equal(changed.length, 4, stdout)
  assert.ok(stdout.split('\n').length < 20, stdout)
})

test('one broken scenario does not hide the others', async (context) => {
  const path = folder(context)
  writeFileSync(join(path, 'a.json'), '{}')
  writeFileSync(join(path, 'b.json'), JSON.stringify(scenario('b')))
  const { code, stdout } = await run(['check', path, '--update'])
  assert.equal(code, 1)
  assert.match(stdout, /invalid .*a\.json\n/)
  assert.match(stdout, /0 of 2 the same, 1 invalid, 1 updated/)
})

test('a folder without scenarios is no success', async (context) => {
  assert.equal((await run(['check', folder(context)])).code, 1)
})

test('the error for an unknown counter lists all counters', async () => {
  const input = JSON.stringify({ ...scenario('odd'), counter: 'words' })
  const { code, stderr } = await run(['assemble', '-'], { input })
  assert.equal(code, 1)
  assert.match(stderr, /Choose one of declared, chars, chars\/4, tokenx, o200k\./)
})

test('the scenarios of examples/ have their committed outlines', async () => {
  assert.deepEqual(await run(['check', join(import.meta.dirname, '..', 'examples')]), {
    code: 0,
    stdout: '1 of 1 the same\n',
    stderr: '',
  })
})

/** A call at this time, whose system text or input names it. */
function clockScenario(number: number, place: 'system' | 'input'): Record<string, unknown> {
  const time = `It is 2026-11-0${number}T08:0${number}:12Z.`
  const base = `You are helpful.${place === 'system' ? `\n${time}` : ''}`
  return {
    ...scenario(`call ${number}`),
    layers: [
      { id: 'clock', layer: 'system-prompt', text: base, tokens: 20 },
      { id: 'rules', layer: 'soul', text: 'Speak plainly, and say what you do not know.', tokens: 10 },
    ],
    current: { id: `t${number}`, messages: [{ role: 'user', content: place === 'input' ? time : 'Hi', tokens: 9 }] },
  }
}

test('check --lint DIRECTORY finds in the scenarios of a file what ends a cache, and where', async (context) => {
  const path = folder(context)
  const write = (name: string, place: 'system' | 'input') =>
    writeFileSync(
      join(path, name),
      [1, 2, 3, 4, 5, 6, 7].map((number) => JSON.stringify(clockScenario(number, place))).join('\n'),
    )
  write('clock.jsonl', 'system')
  const found = await run(['check', '--lint', path])
  assert.equal(found.code, 0)
  assert.match(found.stdout, /warning {2}changing-layer {2}.*clock\.jsonl, call 1: layer clock\n/)
  assert.match(found.stdout, /differed from the call before in 6 of 6 calls/)
  assert.match(found.stdout, /volatile-text {2}.*clock\.jsonl, call 1: /)
  assert.equal(found.stdout.match(/volatile-text/g)?.length, 1, 'a place is named once')
  assert.equal((await run(['check', '--lint', path, '--strict'])).code, 1)

  write('clock.jsonl', 'input')
  assert.deepEqual(await run(['check', '--lint', path, '--strict']), {
    code: 0,
    stdout: 'Nothing that breaks caches or wastes room, in 1 file.\n',
    stderr: '',
  })
})

test('check --lint DIRECTORY says what it could not look at, and fails for what is no scenario', async (context) => {
  const path = folder(context)
  writeFileSync(join(path, 'large.json'), JSON.stringify(scenario('large', 99)))
  const large = await run(['check', '--lint', path])
  assert.equal(large.code, 0)
  assert.match(large.stdout, /large\.json, large: nothing was looked at, because the request does not fit/)

  writeFileSync(join(path, 'broken.json'), '{}')
  writeFileSync(join(path, 'counter.json'), JSON.stringify({ ...scenario('other'), counter: 'abacus' }))
  const lines = (await run(['check', '--lint', path, '--json'])).stdout.trimEnd().split('\n')
  const results = lines.map((line) => JSON.parse(line) as { file: string; message?: string; overflows: string[] })
  assert.deepEqual(
    results.map(({ message, overflows }) => [message === undefined, overflows]),
    [
      [false, []],
      [false, []],
      [true, ['large']],
    ],
  )
  assert.match(results[1]!.message!, /Unknown counter "abacus"/)
  assert.equal((await run(['check', '--lint', path])).code, 1)
  assert.equal((await run(['check', '--lint', path, '--update'])).code, 2)
})
