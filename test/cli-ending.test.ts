import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import test from 'node:test'
import { openGateway } from '../src/cli/gateway.ts'
import { main } from '../src/cli/main.ts'
import { builtIn } from '../src/foreword.ts'
import { acpHome } from './acp/acp-home.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { virtualTerminal } from './cli/virtual-terminal.ts'

const SLOW = '/slow 60000\n/say Once upon a time'

type End = NodeJS.Signals | 'Ctrl-D'

/** Runs a command without a gateway, ends it in the middle of its answer, and returns its exit code. */
async function endInMiddle(
  environment: Readonly<Record<string, string>>,
  { words, input, end, terminal }: { words: string[]; input?: string; end: End; terminal?: boolean },
): Promise<number> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const screen = terminal ? virtualTerminal(100) : undefined
  let interrupt: (signal?: NodeJS.Signals) => void = () => {}
  const exited = Promise.withResolvers<number>()
  const isTTY = terminal === true
  const ended = main(words, {
    stdin: Object.assign(stdin, { isTTY }),
    stdout: Object.assign(stdout, { isTTY }),
    stderr: Object.assign(stderr, { isTTY }),
    capabilities: builtIn,
    environment: { HOME: '/nowhere', ...environment },
    onInterrupt(listener) {
      interrupt = listener
      return () => {}
    },
    exit: exited.resolve,
    firstInputMs: 1,
    ...(screen === undefined ? {} : { terminal: screen }),
  })
  if (screen === undefined) {
    if (input !== undefined) stdin.write(`${input.replaceAll('\n', '\\\n')}\n`)
    while (!String(await new Promise((resolve) => stdout.once('data', resolve))).includes('Once'));
  } else {
    await screen.until(/tokens/)
    screen.paste(input!)
    screen.type('\r')
    await screen.until(/^Once/m)
  }
  if (end === 'SIGPIPE') stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  else if (end === 'Ctrl-D') screen!.type('\u0004')
  else interrupt(end === 'SIGINT' ? undefined : end)
  const code = await Promise.race([ended, exited.promise])
  stdin.end()
  await ended
  return code
}

/** How often a model was asked in each session, and how its turns ended, the session with the newest activity first. */
async function asked(environment: Readonly<Record<string, string>>): Promise<readonly unknown[]> {
  const { stdout } = await run(['sessions', '--json'], { environment })
  const found = stdout
    .trim()
    .split('\n')
    .map(async (row) => {
      const { id } = JSON.parse(row) as { id: string }
      const { stdout: calls } = await run(['calls', id, '--json'], { environment })
      const { stdout: shown } = await run(['sessions', 'show', id, '--json'], { environment })
      const outcomes = [...shown.matchAll(/"outcome":\{"type":"([a-z-]+)"/g)].map(([, type]) => type)
      return [calls.split('\n').length - 1, ...outcomes]
    })
  return await Promise.all(found)
}

const CANCELLED = [1, 'cancelled']

test('whoever ends a send cancels its turn, and no later command asks again', async (context) => {
  const { environment } = temporaryHome(context)
  for (const [end, code] of [
    ['SIGPIPE', 0],
    ['SIGINT', 130],
    ['SIGTERM', 130],
    ['SIGHUP', 130],
  ] as const)
    assert.equal(await endInMiddle(environment, { words: ['send', SLOW], end }), code, end)
  assert.equal((await run(['send', '/say Good day.'], { environment })).stdout, 'Good day.\n')
  assert.deepEqual(await asked(environment), [[1, 'completed'], CANCELLED, CANCELLED, CANCELLED, CANCELLED])
})

test('whoever ends a chat cancels its turn, and no later command asks again', async (context) => {
  const { environment } = temporaryHome(context)
  for (const [end, code, terminal] of [
    ['SIGPIPE', 0, false],
    ['SIGTERM', 143, false],
    ['SIGHUP', 129, true],
    ['Ctrl-D', 0, true],
  ] as const)
    assert.equal(await endInMiddle(environment, { words: ['chat'], input: SLOW, end, terminal }), code, end)
  assert.equal((await run(['send', '/say Good day.'], { environment })).stdout, 'Good day.\n')
  assert.deepEqual(await asked(environment), [[1, 'completed'], CANCELLED, CANCELLED, CANCELLED, CANCELLED])
})

test('a turn that a gateway left waits for its session: no other command begins what it cannot finish', async (context) => {
  const { home, environment } = temporaryHome(context)
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const gateway = await openGateway(home, { stdin, stdout, stderr, environment, capabilities: builtIn }, () => {})
  const { session } = await gateway.runtime.submit({ text: '/slow 500\n/say Once upon' })
  for await (const event of gateway.runtime.events(session, {})) if (event.type === 'text-delta') break
  await gateway.close()
  assert.equal((await run(['send', '/say Good day.'], { environment })).stdout, 'Good day.\n')
  assert.deepEqual(await asked(environment), [[1, 'completed'], [1]])
  const next = await run(['send', '/say Go on.', '--session', session], { environment })
  assert.equal(next.stdout, 'Go on.\n', next.stderr)
  assert.deepEqual(await asked(environment), [
    [3, 'completed', 'completed'],
    [1, 'completed'],
  ])
})

test('a turn that waits for a person outlives commands, and whoever ends its approval cancels it', async (context) => {
  const { environment } = acpHome(context)
  const write = '/call write_file {"path": "a.txt", "content": "one"}'
  const sent = await run(['send', `${write}\n${SLOW}`], { environment })
  assert.equal(sent.code, 3, sent.stderr)
  assert.equal((await run(['send', '/say Good day.'], { environment })).stdout, 'Good day.\n')
  const { approval } = JSON.parse((await run(['approve', '--json'], { environment })).stdout) as { approval: string }
  assert.equal(await endInMiddle(environment, { words: ['approve', approval, '--yes'], end: 'SIGPIPE' }), 0)
  await run(['send', '/say Good night.'], { environment })
  assert.deepEqual(await asked(environment), [
    [1, 'completed'],
    [2, 'cancelled'],
    [1, 'completed'],
  ])
})
