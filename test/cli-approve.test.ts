import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { setImmediate as immediately } from 'node:timers/promises'
import type { WaitingApproval } from '../src/runtime.ts'
import type { PersonsDecision } from '../src/capability.ts'
import type { Runtime } from './home/features.ts'
import type { ApprovalDecision } from '../src/session.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { servedConnection } from './cli/served-connection.ts'
import { scriptedRuntime, type Script, withApproval } from './server/scripted-runtime.ts'

/** A runtime in memory that remembers what was decided in it. */
function deciding(script: Script = withApproval) {
  const runtime = scriptedRuntime({ script })
  const decisions: PersonsDecision[] = []
  return {
    decisions,
    runtime: {
      ...runtime,
      decide: async (approval: string, decision: PersonsDecision) => {
        await runtime.decide(approval, decision)
        decisions.push(decision)
      },
    },
  }
}

/** The same, with a turn that waits already. */
async function waiting(script?: Script) {
  const made = deciding(script)
  await made.runtime.submit({ text: 'write it' })
  return { ...made, waits: await oneThatWaits(made.runtime) }
}

async function oneThatWaits(runtime: Runtime): Promise<WaitingApproval> {
  for (;;) {
    const [waits] = await runtime.approvals()
    if (waits) return waits
    await immediately()
  }
}

/** Somebody decides at another door, a moment after the question came. */
async function decidedElsewhere(runtime: Runtime, decision: ApprovalDecision): Promise<void> {
  const { approval, digest } = await oneThatWaits(runtime)
  for (let turns = 0; turns < 20; turns++) await immediately()
  await runtime.decide(approval, { decision, digest, by: 'http' })
}

// oxlint-disable-next-line no-control-regex -- what a terminal draws with
const drawn = (text: string) => text.replaceAll(/\u001B\[[\d;]*[A-Za-z]/g, '')

test('what waits is listed with its tool, its session and what it would do', async () => {
  const { runtime } = await waiting()
  const connection = servedConnection(runtime, 'running')
  const { code, stdout } = await run(['approve'], { connection })
  assert.equal(code, 0)
  assert.deepEqual(
    stdout
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(/ {2,}/)),
    [['approval-1', 'session-1', '2026-11-20 10:00 UTC', 'write_file', '{"path":"a.txt","text":"two"}']],
  )
  const json = await run(['approve', 'list', '--json'], { connection })
  assert.equal((JSON.parse(json.stdout) as WaitingApproval).digest, 'digest-of-approval-1')
  const nothing = await run(['approve'], { connection: servedConnection(scriptedRuntime(), 'running') })
  assert.deepEqual(nothing, { code: 0, stdout: '', stderr: 'No calls wait for approval.\n' })
})

test('a person sees the call, approves it, and the running gateway continues', async () => {
  const { runtime, decisions } = await waiting()
  const connection = servedConnection(runtime, 'running')
  const { code, stdout, stderr } = await run(['approve', 'app'], { connection, person: true, input: 'y\n' })
  assert.equal(code, 0, stderr)
  const screen = drawn(stdout)
  for (const line of ['tool    write_file', 'folder  /work', 'path: "a.txt"', '-one', '+two']) {
    assert.ok(screen.includes(line), `${line} in ${screen}`)
  }
  assert.match(
    drawn(stderr),
    /Approved write_file\.\nThe turn continues\. Show the answer with `foreword sessions show session-1`/,
  )
  assert.deepEqual(decisions, [
    { decision: { type: 'approve', scope: 'once' }, digest: 'digest-of-approval-1', by: 'cli' },
  ])
})

test('the turn continues to its answer in the same process', async () => {
  const { runtime } = await waiting()
  const { code, stdout, stderr } = await run(['approve', 'approval-1', '--yes'], {
    connection: servedConnection(runtime, 'in-process'),
  })
  assert.equal(code, 0)
  assert.match(stdout, /\+two\nDone\.\n$/)
  assert.equal(stderr, 'Approved write_file.\n')
})

test('a running gateway is followed where that is asked for', async () => {
  const { runtime } = await waiting()
  const connection = servedConnection(runtime, 'running')
  const { code, stdout } = await run(['approve', 'a', '--yes', '--follow', '--json'], { connection })
  assert.equal(code, 0)
  const { decided, decision, outcome, text } = JSON.parse(stdout) as Record<string, unknown>
  assert.deepEqual(
    { decided, decision, outcome, text },
    { decided: 'approval-1', decision: { type: 'approve', scope: 'once' }, outcome: 'completed', text: 'Done.' },
  )
})

test('a denial reaches the model with its reason', async () => {
  const { runtime, decisions } = await waiting()
  const connection = servedConnection(runtime, 'running')
  const { code, stderr } = await run(['approve', 'a', '--deny', '--reason', 'not there'], { connection })
  assert.equal(code, 0)
  assert.match(stderr, /Denied write_file\./)
  assert.deepEqual(decisions[0]!.decision, { type: 'deny', reason: 'not there' })
})

test('an approval may hold for the session', async () => {
  const flagged = await waiting()
  await run(['approve', 'a', '--for-session', '--yes'], { connection: servedConnection(flagged.runtime, 'running') })
  assert.deepEqual(flagged.decisions[0]!.decision, { type: 'approve', scope: 'session' })
  const asked = await waiting()
  const connection = servedConnection(asked.runtime, 'running')
  await run(['approve', 'a', '--for-session'], { connection, person: true, input: 'n\n' })
  assert.equal(asked.decisions.length, 0)
  await run(['approve', 'a', '--for-session'], { connection, person: true, input: 'y\n' })
  assert.deepEqual(asked.decisions[0]!.decision, { type: 'approve', scope: 'session' })
})

test('only what foreign text made ask is approved for its tool', async () => {
  const { runtime, decisions } = await waiting()
  const connection = servedConnection(runtime, 'running')
  const { code, stderr } = await run(['approve', 'a', '--for-tool', '--yes'], { connection })
  assert.equal(code, 2)
  assert.match(stderr, /write_file is not asked about because of what was read/)
  assert.equal((await run(['approve', 'a', '--revoke', 'mail'], { connection })).code, 2)
  assert.deepEqual(decisions, [])
})

test('without a terminal nothing is approved unless it is said', async () => {
  const { runtime, decisions } = await waiting()
  const connection = servedConnection(runtime, 'running')
  for (const words of [
    ['approve', 'a'],
    ['approve', 'a', '--json'],
    ['approve', 'a', '--for-session'],
  ]) {
    const { code, stderr } = await run(words, { connection, input: 'y\n' })
    assert.equal(code, 2)
    assert.match(stderr, /`--yes`/)
  }
  assert.deepEqual(decisions, [])
})

test('one key is enough on a terminal, unless more was typed with it', async () => {
  const { runtime, decisions } = await waiting()
  const connection = servedConnection(runtime, 'running')
  const { code, stdout } = await run(['approve', 'a'], { connection, person: true, input: 'yarn test\nS' })
  assert.deepEqual(
    [code, decisions.map(({ decision }) => decision)],
    [0, [{ type: 'approve', scope: 'session' }]],
    drawn(stdout),
  )
})

test('a person who leaves without an answer has decided nothing', async () => {
  const { runtime, decisions } = await waiting()
  const connection = servedConnection(runtime, 'running')
  const { code, stderr } = await run(['approve', 'a'], { connection, person: true, input: 'maybe\n' })
  assert.equal(code, 1)
  assert.match(drawn(stderr), /Type y, s or n\.\nNothing was decided/)
  assert.deepEqual(decisions, [])
})

test('a tool that was called by a model cannot approve', async () => {
  const { runtime, decisions } = await waiting()
  const connection = servedConnection(runtime, 'running')
  const environment = { FOREWORD_TOOL: '1' }
  for (const words of [['approve'], ['approve', 'a', '--yes'], ['approve', 'a', '--deny']]) {
    const { code, stderr } = await run(words, { connection, environment })
    assert.equal(code, 1)
    assert.match(stderr, /a model cannot approve/)
  }
  assert.deepEqual(decisions, [])
})

test('an unknown or ambiguous id is reported', async () => {
  const { runtime } = await waiting()
  await runtime.submit({ text: 'write it' })
  while ((await runtime.approvals()).length < 2) await immediately()
  const connection = servedConnection(runtime, 'running')
  assert.match(
    (await run(['approve', 'approval-9', '--yes'], { connection })).stderr,
    /No call that waits for approval matches/,
  )
  assert.match(
    (await run(['approve', 'approval-', '--yes'], { connection })).stderr,
    /2 approvals begin with approval-.*approval-1 .*approval-2 /s,
  )
  for (const words of [['--yes'], ['list', '--deny'], ['a', '--reason', 'x'], ['a', '--deny', '--yes']]) {
    assert.equal((await run(['approve', ...words], { connection })).code, 2, words.join(' '))
  }
})

test('send asks the person on the terminal, once, for the session, or not at all', async () => {
  for (const [input, decision] of [
    ['y\n', { type: 'approve', scope: 'once' }],
    ['S\n', { type: 'approve', scope: 'session' }],
    ['n\nnot there\n', { type: 'deny', reason: 'not there' }],
    ['what?\nno\n\n', { type: 'deny' }],
  ] as const) {
    const { runtime, decisions } = deciding()
    const connection = servedConnection(runtime, 'in-process')
    const { code, stdout } = await run(['send', 'write', 'it'], { connection, person: true, input })
    assert.equal(code, 0)
    assert.match(drawn(stdout), /Done\.\n$/)
    assert.match(drawn(stdout), decision.type === 'approve' ? /→ write_file/ : /✗ write_file .*\n *denied/)
    assert.deepEqual(decisions, [{ decision, digest: 'digest-of-approval-1', by: 'cli' }])
  }
})

test('send takes its question back when somebody else has decided', async () => {
  const { runtime, decisions } = deciding()
  const elsewhere = decidedElsewhere(runtime, { type: 'approve', scope: 'once' })
  const { code, stdout, stderr } = await run(['send', 'write'], {
    connection: servedConnection(runtime, 'running'),
    person: 'silent',
  })
  await elsewhere
  assert.equal(code, 0)
  assert.match(drawn(stderr), /decided elsewhere/)
  assert.match(drawn(stdout), /Done\.\n$/)
  assert.equal(decisions[0]!.by, 'http')
})

test('a person who leaves the question leaves the turn as it is', async () => {
  const { runtime } = deciding()
  const connection = servedConnection(runtime, 'in-process')
  const { code, stderr } = await run(['send', 'write'], { connection, person: true, input: '' })
  assert.equal(code, 3)
  assert.match(
    drawn(stderr),
    /write_file waits for your approval\. The turn is kept. Continue it with\s`foreword approve approval-1`/,
  )
  assert.equal((await runtime.approvals()).length, 1)
})

test('send in a pipe, without a gateway, exits with code 3 and prints how to continue', async () => {
  const { runtime } = deciding()
  assert.deepEqual(await run(['send', 'write'], { connection: servedConnection(runtime, 'in-process') }), {
    code: 3,
    stdout: '',
    stderr:
      'foreword send: write_file waits for your approval. The turn is kept. Continue it with `foreword approve approval-1`.\n' +
      '  Continue the session with `foreword chat --session session-1`.\n',
  })
  const other = deciding()
  const json = await run(['send', 'write', '--json'], { connection: servedConnection(other.runtime, 'in-process') })
  assert.equal(json.code, 3)
  const { sessionId, turnId, outcome, approval } = JSON.parse(json.stdout) as Record<string, unknown>
  const [waits] = await other.runtime.approvals()
  assert.deepEqual(
    { sessionId, turnId, outcome, approval },
    { sessionId: waits!.session, turnId: waits!.turn, outcome: 'waiting', approval: waits },
  )
})

test('a signal that ends a send whose turn waits leaves the turn and its question', async () => {
  for (const [where, words] of [
    ['running', ['send', 'write it']],
    ['running', ['send', 'write it', '--json']],
    ['in-process', ['send', 'write it']],
  ] as const) {
    const { runtime } = deciding()
    let end = () => {}
    const ended = run(words, {
      connection: servedConnection(runtime, where),
      ...(where === 'in-process' ? { person: 'silent' as const } : {}),
      onInterrupt(listener) {
        end = listener
        return () => {}
      },
    })
    const waits = await oneThatWaits(runtime)
    for (let turns = 0; turns < 50; turns++) await immediately()
    end()
    const { code, stdout, stderr } = await ended
    assert.equal(code, 3)
    assert.match(
      stderr,
      /The turn is kept. Continue it with\s`foreword approve approval-1`\.\n.*`foreword chat --session session-1`/,
    )
    if (words.length > 2) assert.deepEqual(JSON.parse(stdout).approval.approval, waits.approval)
    assert.deepEqual(
      (await runtime.approvals()).map(({ approval }) => approval),
      [waits.approval],
    )
    await runtime.decide(waits.approval, {
      decision: { type: 'approve', scope: 'once' },
      digest: waits.digest,
      by: 'http',
    })
  }
})

test('send in a pipe waits for a running gateway, and says what for', async () => {
  const { runtime } = deciding()
  const elsewhere = decidedElsewhere(runtime, { type: 'deny' })
  assert.deepEqual(await run(['send', 'write'], { connection: servedConnection(runtime, 'running') }), {
    code: 0,
    stdout: 'Done.\n',
    stderr: 'write_file waits for your approval. Decide with `foreword approve approval-1`.\n',
  })
  await elsewhere
})

test('chat asks in the midst of the talk, and what was typed ahead is no answer', async () => {
  const { runtime, decisions } = deciding()
  const connection = servedConnection(runtime, 'in-process')
  const { code, stdout } = await run(['chat'], {
    connection,
    person: true,
    input: 'write it\ny\n/quit\n',
    environment: { TERM: 'dumb' },
  })
  assert.equal(code, 0)
  assert.match(drawn(stdout), /Done\./)
  assert.equal(decisions.length, 1)
  const ahead = deciding()
  const left = await run(['chat'], {
    connection: servedConnection(ahead.runtime, 'in-process'),
    person: true,
    // Both lines in one go: the second one is typed before anything is asked.
    input: 'write it\ry\n',
    environment: { TERM: 'dumb' },
  })
  assert.equal(left.code, 3)
  assert.deepEqual(ahead.decisions, [])
})

test('a chat in a pipe ends where nobody can be asked', async () => {
  const { runtime } = deciding()
  const connection = servedConnection(runtime, 'in-process')
  const { code, stderr } = await run(['chat'], { connection, input: 'write it\nand more\n' })
  assert.equal(code, 3)
  assert.match(stderr, /Continue it with `foreword approve approval-1`/)
  assert.equal(runtime.submitted.length, 1)
})

test('a call cannot steer the terminal, nor pass for another', async () => {
  const script: Script = async ({ turn, append, ask }) => {
    append({ type: 'turn-start', turn })
    await ask('tool-1', {
      tool: 'shell',
      input: { cmd: 'x' },
      argv: ['gіt', 'log', '--format=\u001B[2J', 'a b'],
      folder: '/work/\u202Egpj',
      diff: '+\u001B]0;title\u0007\n',
    })
    append({ type: 'turn-end', turn, outcome: { type: 'completed' } })
  }
  const { runtime } = await waiting(script)
  const { stdout } = await run(['approve', 'a', '--yes'], {
    connection: servedConnection(runtime, 'running'),
    terminal: true,
    environment: { NO_COLOR: '1' },
  })
  assert.deepEqual(stdout.split('\n').slice(0, 5), [
    '  tool    shell',
    '  argv    "gіt" log "--format=\\u001b[2J" "a b"',
    '  folder  /work/\\u{202e}gpj',
    '  Characters that look like others: і (U+0456)',
    '  +\\u{1b}]0;title\\u{7}',
  ])
})

test('in a real home a turn waits beyond the end of its process, and continues in the process that approves', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(join(home, 'workspace'), { recursive: true })
  writeFileSync(join(home, 'tool-access.json'), '{"global": {"allowedTools": ["write_file"]}}')
  const message = '/call write_file {"path": "a.txt", "content": "one"}\n/say Written.'
  const sent = await run(['send', message, '--json'], { environment })
  assert.equal(sent.code, 3, sent.stderr)
  const { approval } = JSON.parse(sent.stdout) as { approval: WaitingApproval }
  assert.equal((await run(['approve', approval.approval], { environment })).code, 2)
  assert.match((await run(['approve'], { environment })).stdout, /write_file/)
  const { code, stdout, stderr } = await run(['approve', approval.approval, '--yes'], { environment })
  assert.equal(code, 0, stderr)
  assert.match(stdout, /Written\.\n$/)
  assert.equal(readFileSync(join(home, 'workspace', 'a.txt'), 'utf8'), 'one')
  assert.deepEqual(await run(['approve'], { environment }), {
    code: 0,
    stdout: '',
    stderr: 'No calls wait for approval.\n',
  })
})

test('the list of approvals and its JSON escape the texts of calls', async () => {
  const script: Script = async ({ turn, append, ask }) => {
    append({ type: 'turn-start', turn })
    await ask('tool-1', { tool: 'sh\u009B2Jell', input: { a: '\u009B2J\u202E\u001B[2J' } })
  }
  const { runtime } = await waiting(script)
  const options = { connection: servedConnection(runtime, 'running'), terminal: true, environment: { NO_COLOR: '1' } }
  const list = await run(['approve'], options)
  const json = await run(['approve', '--json'], options)
  for (const { stdout } of [list, json]) {
    for (const sign of ['\u009B', '\u202E', '\u001B']) assert.ok(!stdout.includes(sign))
  }
  assert.match(list.stdout, /sh\\u\{9b\}2Jell/)
  assert.equal(JSON.parse(json.stdout).request.input.a, '\u009B2J\u202E\u001B[2J')
})
