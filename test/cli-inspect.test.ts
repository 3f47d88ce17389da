import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { callFigures, type Manifest, numberText } from '../src/context.ts'
import { runScenario } from '../src/context/scenario.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { scriptedConnection } from './cli/scripted-connection.ts'

const result = runScenario({
  name: 'one',
  budget: { window: 1000, reserve: 100, margin: 0 },
  counter: 'declared',
  layers: [{ id: 'base', layer: 'system-prompt', text: 'You are helpful.', tokens: 10 }],
  history: [],
  current: { id: 't1', messages: [{ role: 'user', content: 'Hi', tokens: 2 }] },
})
assert.ok('request' in result)
const { request, manifest } = result
const figures = figuresOf(manifest)

function figuresOf(account: Manifest) {
  return callFigures(account, { price: undefined })
}

test('context shows how full the window of the next call is, and each piece, or request and manifest', async () => {
  const connection = scriptedConnection({ 'POST /api/context': { model: 'rehearsal', request, manifest, figures } })
  const plain = await run(['context', 's1', '--input', 'Hi', '--model', 'm'], { connection })
  const lines = [
    '12 of 900 tokens used, 888 free; window 1,000: 100 for the answer',
    `█${'░'.repeat(53)}▒▒▒▒▒▒`,
    'slot    what       form  tokens  full  outcome   why',
    'system  base       full      10    10  included',
    'input   this turn  full       2     2  included',
    '',
  ]
  assert.deepEqual(plain, { code: 0, stdout: lines.join('\n'), stderr: '' })
  assert.deepEqual(connection.asked, ['POST /api/context {"session":"s1","input":"Hi","model":"m"}'])
  const json = await run(['context', '--json'], { connection })
  assert.deepEqual(JSON.parse(json.stdout), JSON.parse(JSON.stringify({ request, manifest, figures })))
})

test('context fits the terminal: every line at 40 and at 120 columns, and without colours where none are wanted', async () => {
  const long = runScenario({
    name: 'long',
    budget: { window: 1000, reserve: 100, margin: 0 },
    counter: 'declared',
    layers: [
      { id: 'base', layer: 'system-prompt', text: 'You are helpful.', tokens: 10 },
      {
        id: 'a-memory-with-a-name-that-is-longer-than-any-terminal-would-like',
        layer: 'memory',
        text: 'Much.',
        tokens: 5000,
      },
    ],
    history: [],
    current: { id: 't1', messages: [{ role: 'user', content: 'Hi', tokens: 2 }] },
  })
  assert.ok('request' in long)
  const connection = scriptedConnection({
    'POST /api/context': { model: 'rehearsal', ...long, figures: figuresOf(long.manifest) },
  })
  const shown = async (columns: number, environment = {}) =>
    (await run(['context'], { connection, terminal: true, columns, environment })).stdout
  for (const columns of [40, 120]) {
    const plain = await shown(columns, { NO_COLOR: '1' })
    assert.ok(!plain.includes('\u001b'))
    assert.ok(
      plain.split('\n').every((line) => line.length <= columns),
      plain,
    )
    assert.match(plain, /^slot +what .*outcome/m)
    assert.match(
      plain,
      columns === 40
        ? /^system +a-memory-with…/m
        : /^system +a-memory-with-a-name-that-is-longer-than-any-terminal-would-like/m,
    )
    assert.match(plain, columns === 40 ? /omitted\n {2}why: head-share$/m : /omitted +head-share$/m)
    assert.notEqual(await shown(columns), plain)
  }
})

const sentences = [
  'Turn 1 left out: 200 tokens wanted, and turn 2, which is newer, did not fit after the cut to half of the room.',
  'Turn 2 left out: 500 tokens wanted, 238 were free after the cut to half of the room.',
]

function cutCall(): Manifest {
  const turn = (id: string, tokens: number) => ({ id, messages: [{ role: 'user' as const, content: id, tokens }] })
  const cut = runScenario({
    name: 'cut',
    budget: { window: 1000, reserve: 100, margin: 0 },
    counter: 'declared',
    layers: [],
    history: [turn('one', 200), turn('two', 500), turn('three', 210)],
    current: turn('four', 2),
  })
  return cut.manifest
}

test('10: context and calls say in words what was left out, with the turn, what it wanted, and what was free', async () => {
  const connection = scriptedConnection({
    'POST /api/context': { model: 'rehearsal', request, manifest: cutCall(), figures: figuresOf(cutCall()) },
    'GET /api/calls/c1/manifest': { ...cutCall(), figures: figuresOf(cutCall()) },
    'GET /api/calls?limit=11&beginning=c1': { calls: [{ id: 'c1', session: 's1' }] },
  })
  const lines = async (...words: string[]) => (await run(words, { connection })).stdout.trimEnd().split('\n')
  assert.deepEqual((await lines('context')).slice(-2), sentences)
  const shown = await lines('calls', 's1', 'c1')
  assert.deepEqual(shown.slice(-4, -2), sentences)
  const { total } = figuresOf(cutCall())
  assert.equal(shown.at(-1), `About ${numberText(total)} tokens: the provider reported no usage.`)
  const narrow = (await run(['context'], { connection, terminal: true, columns: 40 })).stdout
  assert.match(narrow, /\nTurn 2 left out: 500 tokens wanted, 238\nwere free after the cut to half of the\nroom\.\n$/)
})

test('a call says what was read, from where, what was answered and what that cost, in the tokens of its provider', async () => {
  const counted = { ...figuresOf(cutCall()), basis: 'reported', total: 639, cached: 447, written: 0, fresh: 192 }
  const lastLine = async (more: object) => {
    const shown = { ...cutCall(), figures: counted, reported: { promptTokens: 639, outputTokens: 20 }, ...more }
    const connection = scriptedConnection({
      'GET /api/calls/c1/manifest': shown,
      'GET /api/calls?limit=11&beginning=c1': { calls: [{ id: 'c1', session: 's1' }] },
    })
    return (await run(['calls', 's1', 'c1'], { connection })).stdout.trimEnd().split('\n').at(-1)
  }
  const paid = { money: 0.0003367, saved: 0, parts: {}, entries: [] }
  assert.equal(await lastLine({ paid }), '639 tokens read, 447 of them from the cache, 20 answered: $0.00034.')
  const { cached: _, ...silent } = counted
  assert.equal(await lastLine({ figures: silent }), '639 tokens read, cache not reported, 20 answered.')
})

const call = {
  id: 'c1',
  time: '2026-01-01T00:00:00.000Z',
  model: 'ollama/x',
  used: 12,
  figures: { basis: 'reported', total: 13, window: 1000 },
  outcome: { usage: { promptTokens: 13, outputTokens: 4 }, finish: 'stop', durationMs: 5 },
}

test('a call is shown by its id alone, without its session', async () => {
  const connection = scriptedConnection({
    'GET /api/calls/call_abc/manifest': { ...cutCall(), figures: figuresOf(cutCall()) },
    'GET /api/calls?limit=11&beginning=call_abc': { calls: [{ id: 'call_abc', session: 's1' }] },
  })
  assert.match((await run(['calls', 'call_abc'], { connection })).stdout, /Turn 1 left out: /)
})

test('calls lists prompts as their provider reported them, and says where it has not', async () => {
  const connection = scriptedConnection({
    'GET /api/sessions/s1/calls?limit=1000&after=': {
      calls: [
        { ...call, figures: { ...call.figures, money: 0.0042 } },
        { ...call, figures: { basis: 'forecast', total: 14, cached: 10, written: 0, fresh: 4, window: 1000 } },
      ],
    },
  })
  assert.equal(
    (await run(['calls', 's1'], { connection })).stdout,
    [
      'call  time                  model       prompt  cached  output     cost  end',
      'c1    2026-01-01 00:00 UTC  ollama/x        13       -       4  $0.0042  stop',
      'c1    2026-01-01 00:00 UTC  ollama/x  14 about       -       4        -  stop',
      '',
    ].join('\n'),
  )
  const { stdout } = await run(['calls', 's1', '--json'], { connection })
  assert.deepEqual(JSON.parse(stdout.split('\n')[0]!), { ...call, figures: { ...call.figures, money: 0.0042 } })
})

test('calls lists a long session from its first call to its last', async () => {
  const calls = Array.from({ length: 2_300 }, (_, index) => ({ ...call, id: `c${index + 1}` }))
  const path = 'GET /api/sessions/s1/calls?limit=1000&after='
  const connection = scriptedConnection({
    [path]: { calls: calls.slice(0, 1_000) },
    [`${path}c1000`]: { calls: calls.slice(1_000, 2_000) },
    [`${path}c2000`]: { calls: calls.slice(2_000) },
  })
  const { stdout } = await run(['calls', 's1', '--json'], { connection })
  const listed = stdout.trimEnd().split('\n')
  assert.deepEqual(
    listed.map((line) => (JSON.parse(line) as { readonly id: string }).id),
    calls.map(({ id }) => id),
  )
})

const canonical = JSON.stringify(request)
const digest = createHash('sha256').update(canonical).digest('hex')

test('request prints the request byte for byte and checks its digest', async () => {
  const connection = scriptedConnection({
    'GET /api/calls/c1/request': { call: { ...call, requestDigest: digest }, request, digest, identical: true },
    'GET /api/calls/c2/request': { call: { ...call, requestDigest: 'f00' }, request, digest, identical: false },
  })
  assert.deepEqual(await run(['request', 'c1'], { connection }), {
    code: 0,
    stdout: canonical,
    stderr: `sha256 ${digest}: identical to what was sent\n`,
  })
  assert.deepEqual(await run(['request', 'c2'], { connection }), {
    code: 1,
    stdout: canonical,
    stderr: `sha256 ${digest}: differs from what was sent (f00)\n`,
  })
})

test('request --pretty is for people: what a message says is indented below its heading', async () => {
  const readable = {
    tools: [
      {
        name: 'clock',
        description: 'The time.\nUTC.',
        inputSchema: { properties: { zone: {}, now: {} }, required: ['now'] },
      },
    ],
    system: 'Be kind.\n\n9 user',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is\u001b[31m this?' },
          { type: 'file', mediaType: 'image/png' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'clock', input: { now: true } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'a', toolName: 'clock', output: { type: 'text', value: '12:00' } },
        ],
      },
      { role: 'assistant', content: 'Noon.' },
    ],
  }
  const sha = createHash('sha256').update(JSON.stringify(readable)).digest('hex')
  const connection = scriptedConnection({
    'GET /api/calls/c1/request': {
      call: { ...call, requestDigest: sha },
      request: readable,
      digest: sha,
      identical: true,
    },
  })
  const { code, stdout, stderr } = await run(['request', 'c1', '--pretty'], { connection, terminal: true })
  assert.deepEqual([code, stderr.includes('identical')], [0, true])
  // oxlint-disable-next-line no-control-regex -- the looks of a terminal are what is taken out here
  assert.deepEqual(stdout.replaceAll(/\u001b\[[\d;]*m/g, '').split('\n'), [
    'tools (1)',
    '  clock(zone?, now)',
    '    The time.',
    '    UTC.',
    '',
    'system',
    '  Be kind.',
    '',
    '  9 user',
    '',
    '1 user',
    String.raw`  What is\u{1b}[31m this?`,
    '  [image/png]',
    '',
    '2 assistant',
    '  (reasoning) Hm.',
    '  → clock {"now":true}',
    '',
    '3 tool',
    '  ← clock: 12:00',
    '',
    '4 assistant',
    '  Noon.',
    '',
  ])
})

test('request and calls say what left in another form than the log has it', async () => {
  const wire = {
    sha256: 'aaa',
    bytes: 120,
    url: 'http://127.0.0.1:1/v1',
    changes: { stream_options: null, max_tokens: 4096 },
    corrections: { 'call-id': 2 },
  }
  const connection = scriptedConnection({
    'GET /api/calls/c1/request': { call: { ...call, outcome: { wire }, requestDigest: digest }, request, digest },
    'GET /api/calls/c1/manifest': { ...manifest, figures, wire },
    'GET /api/calls?limit=11&beginning=c1': { calls: [{ id: 'c1', session: 's1' }] },
  })
  const said = [
    'Left out, since the server refuses it: stream_options.',
    'Sent at most 4096, since the server refuses it otherwise: max_tokens.',
    'Ids of calls in a form that every server accepts: 2. The log has what the model said.',
  ]
  const { stderr } = await run(['request', 'c1'], { connection })
  assert.deepEqual(stderr.trim().split('\n').slice(1), said)
  const { stdout } = await run(['calls', 's1', 'c1'], { connection })
  assert.deepEqual(stdout.trim().split('\n').slice(-3), said)
})

test('request and replay compare the bodies that left, and say why one cannot be made again', async () => {
  const left = { wire: { sha256: 'aaa', bytes: 120, url: 'http://127.0.0.1:1/v1' } }
  const answer = (wire: object) => ({
    call: { ...call, outcome: { ...call.outcome, ...left }, requestDigest: digest },
    request,
    digest,
    identical: true,
    wire: { expected: 'aaa', ...wire },
  })
  const wires = (different: readonly object[]) => ({
    session: 's1',
    calls: 3,
    identical: 3,
    different: [],
    wires: { identical: 2, different, unknown: [{ call: 'c9', why: 'it does not answer' }] },
  })
  const connection = scriptedConnection({
    'GET /api/calls/c1/request': answer({ state: 'identical', got: 'aaa' }),
    'GET /api/calls/c2/request': answer({ state: 'different', got: 'bbb' }),
    'GET /api/calls/c3/request': answer({ state: 'unknown', why: 'it does not answer' }),
    'GET /api/sessions/s1/replay': wires([]),
    'GET /api/sessions/s2/replay': wires([{ call: 'c2', expected: 'aaa', got: 'bbb' }]),
  })
  const said = async (...words: string[]) => {
    const { code, stdout, stderr } = await run(words, { connection })
    return [code, ...(words[0] === 'replay' ? stdout : stderr).trim().split('\n').slice(1)]
  }
  assert.deepEqual(await said('request', 'c1'), [
    0,
    'body sha256 aaa: identical to the body that was sent (120 bytes to http://127.0.0.1:1/v1)',
  ])
  assert.deepEqual(await said('request', 'c2'), [
    1,
    'body sha256 bbb: differs from the body that was sent (aaa): settings of the model, or the package of its provider, have changed since',
  ])
  assert.deepEqual(await said('request', 'c3'), [
    0,
    'body sha256 aaa was sent; it cannot be rebuilt to compare: it does not answer',
  ])
  const unmade = '1 cannot be rebuilt to compare'
  assert.deepEqual(await said('replay', 's1'), [
    0,
    `2 of 2 bodies identical to what was sent, ${unmade}`,
    'it does not answer',
  ])
  assert.deepEqual(await said('replay', 's2'), [
    1,
    `2 of 3 bodies identical to what was sent, ${unmade}`,
    'c2: body sha256 bbb instead of aaa',
    'it does not answer',
  ])
})

test('diff says what came, went and changed, as text and as JSON', async () => {
  const comparison = {
    came: [{ id: 'turn_b', slot: 'history' }],
    went: [],
    moved: [],
    changedForm: [],
    changedContent: [],
    commonPrefix: { tokens: 10, pieces: 1 },
    firstDifference: { id: 'turn_b', slot: 'history', cause: 'came' },
    why: 'The conversation went on. Everything before that is as it was.',
  }
  const turn = (id: string, slot = 'history') => ({ id, slot, layer: 'turn', outcome: 'included' })
  const connection = scriptedConnection({
    'GET /api/diff?before=c1&after=c2': comparison,
    'GET /api/calls/c1/manifest': { entries: [turn('turn_a', 'input')] },
    // The provider counts half as much again: the page says 15 tokens, too.
    'GET /api/calls/c2/manifest': { entries: [turn('turn_a'), turn('turn_b')], used: 100, figures: { total: 150 } },
  })
  assert.equal(
    (await run(['diff', 'c1', 'c2'], { connection })).stdout,
    'common beginning: 15 tokens\nfirst difference: history turn 2 (added)\n' +
      'why: The conversation went on. Everything before that is as it was.\n+ history turn 2\n',
  )
  assert.deepEqual(JSON.parse((await run(['diff', 'c1', 'c2', '--json'], { connection })).stdout), comparison)
})

test('replay says how many calls are identical and fails where one is not', async () => {
  const connection = scriptedConnection({
    'GET /api/sessions/s1/replay': { session: 's1', calls: 3, identical: 3, different: [] },
    'GET /api/sessions/s2/replay': {
      session: 's2',
      calls: 2,
      identical: 1,
      different: [{ call: 'c9', expected: 'aa', got: 'bb' }],
    },
  })
  assert.deepEqual(await run(['replay', 's1'], { connection }), { code: 0, stdout: '3 of 3 identical\n', stderr: '' })
  assert.deepEqual(await run(['replay', 's2'], { connection }), {
    code: 1,
    stdout: '1 of 2 identical\nc9: sha256 bb instead of aa\n',
    stderr: '',
  })
})

test('models marks every figure that was assumed, and says where what is known goes', async () => {
  const known = { tools: true, vision: false, reasoning: true, toolChoiceNone: true, source: 'assumed' }
  const facts = { window: 8192, maxOutput: 2048, ...known, assumed: ['window', 'maxOutput', 'reasoning'] }
  const models = [{ id: 'lab/a', provider: 'lab', facts, current: true }]
  const { stdout } = await run(['models'], { connection: scriptedConnection({ 'GET /api/models': { models } }) })
  const [, row, note] = stdout.split('\n')
  assert.deepEqual(row!.split(/ {2,}/).filter(Boolean), [
    '*',
    'lab/a',
    '~8,192',
    '~2,048',
    'tools ~reasoning',
    'assumed',
    '-',
  ])
  assert.match(note!, /^~ marks an assumed figure, .*"models": \{"ID": \{"window": TOKENS/)
})

test('models has the names that the catalogue knows, and the words of the page for what a model can do', async () => {
  const facts = { window: 200_000, maxOutput: 64_000, tools: true, vision: true, reasoning: true, source: 'catalog' }
  const models = [
    { id: 'anthropic/claude-sonnet-4-5', provider: 'anthropic', facts: { ...facts, name: 'Claude Sonnet 4.5' } },
    { id: 'anthropic/other', provider: 'anthropic', facts },
  ]
  const connection = scriptedConnection({ 'GET /api/models': { models } })
  const { stdout } = await run(['models'], { connection })
  const [head, named, other] = stdout.split('\n').map((line) => line.trim().split(/ {2,}/))
  assert.deepEqual([head!.at(-1), named!.at(-1), other!.at(-1)], ['name', 'Claude Sonnet 4.5', '-'])
  assert.equal(named![3], 'tools images reasoning')
})

test('models says a missing key in one line, by what sets it', async (context) => {
  const { environment } = temporaryHome(context)
  const { stdout } = await run(['models'], { environment })
  const lines = stdout.split('\n').filter((line) => line.includes('key'))
  assert.deepEqual(lines, [
    'openai needs a key: set OPENAI_API_KEY, or providers.openai in config.json to {"kind": "openai", "apiKeyFile": "PATH"}',
    'anthropic needs a key: set ANTHROPIC_API_KEY, or providers.anthropic in config.json to {"kind": "anthropic", "apiKeyFile": "PATH"}',
  ])
  assert.ok(lines.every((line) => line.length <= 140))
})

test('models marks the one that answers where nothing else is chosen', async () => {
  const facts = {
    window: 8192,
    maxOutput: 1024,
    tools: true,
    vision: false,
    reasoning: true,
    toolChoiceNone: true,
    source: 'provider',
  }
  const models = [
    { id: 'ollama/a', provider: 'ollama', facts, current: true },
    { id: 'ollama/b', provider: 'ollama', current: false },
  ]
  const connection = scriptedConnection({ 'GET /api/models': { models } })
  const { stdout } = await run(['models'], { connection })
  assert.deepEqual(
    stdout.split('\n').map((line) => line.split(/ {2,}/).filter(Boolean)),
    [
      ['model', 'window', 'output', 'can', 'known from', 'calibration'],
      ['*', 'ollama/a', '8,192', '1,024', 'tools reasoning', 'provider', '-'],
      ['ollama/b', '-', '-', '-', '-', '-'],
      [],
    ],
  )
})
