import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Entry } from '../src/session.ts'
import { type ScriptedAnswer, type ScriptedRequest, scriptedProvider } from '../src/testing.ts'
import { spawnForeword } from './cli/gateway-process.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { type Gateway, startGateway } from './crash/gateway.ts'
import type { Place } from './crash/process.ts'

type Script = (request: ScriptedRequest, n: number) => ScriptedAnswer

interface World {
  readonly requests: readonly ScriptedRequest[]
  /** Starts a gateway on the one home of the test. */
  start(stopAt?: Place): Promise<Gateway>
  /** Lines of a file that a tool or the channel wrote. */
  lines(file: string): readonly string[]
}

/** A home and a model server that outlive the gateways that are killed. */
async function world(t: TestContext, answer: Script): Promise<World> {
  const home = await mkdtemp(join(tmpdir(), 'foreword-crash-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  const provider = await scriptedProvider({ answer })
  t.after(() => provider.close())
  return {
    requests: provider.requests,
    start: (stopAt) => startGateway(t, { home, modelUrl: provider.url, ...(stopAt ? { stopAt } : {}) }),
    lines: (file) =>
      existsSync(join(home, file)) ? readFileSync(join(home, file), 'utf8').split('\n').slice(0, -1) : [],
  }
}

/** Calls a tool once, then says so. */
const calling =
  (name: string): Script =>
  ({ body }) =>
    newestRole(body) === 'tool' ? { text: 'All done.' } : { toolCalls: [{ name, input: { to: 'Ann' } }] }

function newestRole(body: Readonly<Record<string, unknown>>): string | undefined {
  return (body['messages'] as readonly { role: string }[]).at(-1)?.role
}

function countOf(entries: readonly Entry[], type: Entry['type']): number {
  return entries.filter((entry) => entry.type === type).length
}

async function assertIdentical(gateway: Gateway, session: string, calls: number): Promise<void> {
  const { wires, ...requests } = await gateway.replay(session)
  assert.deepEqual(requests, { session, calls, identical: calls, different: [] })
  assert.deepEqual([wires?.different ?? [], wires?.unknown ?? []], [[], []])
}

test('killed right after it accepted a message, the gateway answers it at its next start', async (t) => {
  const { start } = await world(t, () => ({ text: 'Good day.', delayMs: 50 }))
  const before = await start()
  const turn = await before.say('hello', undefined, 'only once')
  await before.kill()
  const after = await start()
  assert.deepEqual(await after.say('hello', undefined, 'only once'), { ...turn, repeated: true })
  assert.equal(await after.answer(turn), 'Good day.')
  const log = await after.log(turn.session)
  assert.deepEqual([countOf(log, 'input'), countOf(log, 'message'), countOf(log, 'turn-end')], [1, 1, 1])
})

test('killed in the middle of a stream, it answers again, and no answer appears twice', async (t) => {
  const { start, requests } = await world(t, (_, n) =>
    n === 1 ? { text: 'one two three four', hangAfter: 2 } : { text: 'one two three four' },
  )
  const before = await start()
  const turn = await before.say('count')
  assert.equal(await before.firstWords(turn), 'one ')
  await before.kill()
  const after = await start()
  assert.equal(await after.answer(turn), 'one two three four')
  const log = await after.log(turn.session)
  assert.deepEqual([countOf(log, 'message'), countOf(log, 'turn-start'), countOf(log, 'turn-end')], [1, 1, 1])
  assert.equal(requests[0]?.sha256, requests[1]?.sha256)
  assert.equal(await after.answer(await after.say('again', turn.session)), 'one two three four')
  await assertIdentical(after, turn.session, 3)
})

for (const [stopAt, letters] of [
  ['before-effect', 0],
  ['after-effect', 1],
] as const) {
  test(`killed in a tool, ${stopAt.replace('-', ' its ')}, it does not run the tool again and tells the model`, async (t) => {
    const { start, lines, requests } = await world(t, calling('send_letter'))
    const before = await start(stopAt)
    const turn = await before.say('write to Ann')
    await before.reaches(stopAt)
    await before.kill()
    const after = await start()
    assert.equal(await after.answer(turn), 'All done.')
    assert.equal(lines('letters').length, letters)
    assert.match(requests[1]!.bytes.toString(), /may or may not have taken effect/)
    assert.equal(requests.length, 2)
    const log = await after.log(turn.session)
    assert.deepEqual([countOf(log, 'tool-start'), countOf(log, 'tool-end'), countOf(log, 'message')], [1, 0, 3])
    await assertIdentical(after, turn.session, 2)
  })
}

test('killed in a tool that may be repeated, it repeats it', async (t) => {
  const { start, lines, requests } = await world(t, calling('write_note'))
  const before = await start('before-note')
  const turn = await before.say('note this')
  await before.reaches('before-note')
  await before.kill()
  const after = await start()
  assert.equal(await after.answer(turn), 'All done.')
  assert.deepEqual(lines('note-runs'), ['run', 'run'])
  assert.match(requests[1]!.bytes.toString(), /It is noted/)
  await assertIdentical(after, turn.session, 2)
})

test('of two tools that ran side by side, only the one that had not ended is in doubt', async (t) => {
  const { start, lines, requests } = await world(t, ({ body }) =>
    newestRole(body) === 'tool'
      ? { text: 'All done.' }
      : {
          toolCalls: [
            { id: 'a', name: 'send_letter', input: { to: 'Ann' } },
            { id: 'b', name: 'write_note', input: { of: 'Ann' } },
          ],
        },
  )
  const before = await start('after-effect')
  const turn = await before.say('write to Ann and note it')
  await before.reaches('after-effect')
  while (countOf(await before.log(turn.session), 'tool-end') === 0);
  await before.kill()
  const after = await start()
  assert.equal(await after.answer(turn), 'All done.')
  assert.deepEqual([lines('letters').length, lines('note-runs').length], [1, 1])
  const told = (requests[1]!.body['messages'] as readonly { role: string; content: string }[]).slice(-2)
  assert.match(told[0]!.content, /may or may not have taken effect/)
  assert.match(told[1]!.content, /It is noted/)
})

test('killed between the end of a tool and the next call, it continues with the result and runs nothing again', async (t) => {
  const { start, lines, requests } = await world(t, (request, n) =>
    n === 2 ? { hangAfter: 0 } : calling('send_letter')(request, n),
  )
  const before = await start()
  const turn = await before.say('write to Ann')
  while (requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 2))
  await before.kill()
  const after = await start()
  assert.equal(await after.answer(turn), 'All done.')
  assert.equal(lines('letters').length, 1)
  assert.match(requests[2]!.bytes.toString(), /The letter is on its way/)
  assert.equal(requests[2]?.sha256, requests[1]?.sha256)
  await assertIdentical(after, turn.session, 3)
})

for (const [stopAt, copies] of [
  ['before-sending', 1],
  ['after-sending', 2],
] as const) {
  const what =
    copies === 1
      ? 'before a reply was sent, it sends it once'
      : 'after a reply was sent and before that was recorded, it sends it once more under the same name'
  test(`killed ${what}, and records it once`, async (t) => {
    const { start, lines, requests } = await world(t, () => ({ text: 'Coo.' }))
    const before = await start(stopAt)
    const bound = (await before.sessions()).find(({ binding }) => binding?.channel === 'pigeon')!
    const turn = await before.say('hello', bound.id)
    await before.reaches(stopAt)
    await before.kill()
    const after = await start()
    while (countOf(await after.log(bound.id), 'delivered') === 0);
    assert.deepEqual(lines('sent'), Array(copies).fill(`${turn.turn} Coo.`))
    assert.equal(requests.length, 1)
    await after.kill()
    const last = await start()
    assert.equal(await last.answer(await last.say('and you?', bound.id)), 'Coo.')
    while (countOf(await last.log(bound.id), 'delivered') < 2);
    assert.equal(lines('sent').length, copies + 1)
    assert.equal(countOf(await last.log(bound.id), 'delivered'), 2)
    await assertIdentical(last, bound.id, 2)
  })
}

test('killed again and again while many messages wait, it loses none, repeats none and keeps their order', async (t) => {
  let hurries = false
  const { start, lines } = await world(t, (request, n) => {
    if (newestRole(request.body) === 'tool' || !request.newest.includes('letter')) {
      return { text: `You said: ${request.newest}`, delayMs: n % 4 === 0 && !hurries ? 150 : 2 }
    }
    return { toolCalls: [{ name: 'send_letter', input: { about: request.newest } }] }
  })
  const accepted: { session: string; turn: string; text: string }[] = []
  const sessions: string[] = []
  let recovered = 0
  for (let round = 0; round < 3; round += 1) {
    const gateway = await start()
    recovered += (await gateway.status()).recovered
    const saying = Array.from({ length: 4 }, async (_, person) => {
      for (let n = 0; n < 6; n += 1) {
        const text = n % 3 === 1 ? `letter ${round}.${person}.${n}` : `message ${round}.${person}.${n}`
        const turn = await gateway.say(text, sessions[person])
        sessions[person] ??= turn.session
        accepted.push({ session: turn.session, turn: turn.turn, text })
      }
    })
    if (round === 0) await Promise.all(saying)
    else await Promise.race([...saying, new Promise((resolve) => setTimeout(resolve, 25))])
    await gateway.kill()
    await Promise.allSettled(saying)
  }
  hurries = true
  const last = await start()
  for (const { session, turn, text } of accepted) {
    assert.equal(await last.answer({ session, turn, seq: 0, repeated: false }), `You said: ${text}`)
  }
  // Input that was written and not acknowledged any more is answered too.
  for (let { running, queued } = await last.status(); running + queued > 0;) ({ running, queued } = await last.status())
  for (const session of sessions) {
    const log = await last.log(session)
    const inputs = log.flatMap((entry) => (entry.type === 'input' ? [entry.turn] : []))
    const ends = log.flatMap((entry) => (entry.type === 'turn-end' ? [entry.turn] : []))
    assert.deepEqual(ends, inputs)
    assert.equal(new Set(ends).size, ends.length)
    const own = accepted.filter((one) => one.session === session)
    assert.deepEqual(
      inputs.filter((turn) => own.some((one) => one.turn === turn)),
      own.map(({ turn }) => turn),
    )
    const { calls, identical, different } = await last.replay(session)
    assert.deepEqual([different, identical], [[], calls])
  }
  assert.ok(recovered + (await last.status()).recovered > 4)
  const letters = lines('letters').map((line) => line.slice(line.indexOf(' ') + 1))
  assert.equal(new Set(letters).size, letters.length)
})

test('the program, killed in the middle of an answer, resumes and can replay every call', async (t) => {
  const { environment } = temporaryHome(t)
  const first = spawnForeword(t, ['start'], environment)
  await first.line(/Address/)
  const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ')
  const sending = spawnForeword(t, ['send', `/slow 50\n/say ${words}`], environment)
  while (!sending.stdout().includes('word1')) await new Promise((resolve) => setTimeout(resolve, 5))
  first.child.kill('SIGKILL')
  await first.ended
  sending.child.kill('SIGKILL')
  const second = spawnForeword(t, ['start'], environment)
  await second.line(/Resumed +1 turn of the last run/)
  const session = JSON.parse((await run(['sessions', '--json'], { environment })).stdout).id as string
  const next = await run(['send', '/say Good.', '--session', session], { environment })
  assert.equal(next.stdout, 'Good.\n', next.stderr)
  const shown = (await run(['sessions', 'show', session], { environment })).stdout
  assert.equal(shown.split('word39').length, 3, 'once in the message, once in the one answer')
  assert.equal((await run(['replay', session], { environment })).stdout, '3 of 3 identical\n')
})
