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
import { setTimeout as sleep } from 'node:timers/promises'

type Script = (request: ScriptedRequest, n: number) => ScriptedAnswer

interface World {
  readonly requests: readonly ScriptedRequest[]
  /** Starts a gateway on the one home of the test. */
  start(options?: { readonly stops: boolean }): Promise<Gateway>
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
    start: (options) => startGateway(t, { home, modelUrl: provider.url, ...options }),
    lines: (file) =>
      existsSync(join(home, file)) ? readFileSync(join(home, file), 'utf8').split('\n').slice(0, -1) : [],
  }
}

type Message = { readonly role: string; readonly content: string }

function messagesOf({ body }: ScriptedRequest): readonly Message[] {
  return body['messages'] as readonly Message[]
}

function newestRole(request: ScriptedRequest): string | undefined {
  return messagesOf(request).at(-1)?.role
}

/** The first word that was said in the session of a request. */
function wordOf(request: ScriptedRequest): string {
  return messagesOf(request)
    .find(({ role }) => role === 'user')!
    .content.split(' ')[0]!
}

function countOf(entries: readonly Entry[], type: Entry['type']): number {
  return entries.filter((entry) => entry.type === type).length
}

async function assertIdentical(gateway: Gateway, session: string, calls: number): Promise<void> {
  const { wires, ...requests } = await gateway.replay(session)
  assert.deepEqual(requests, { session, calls, identical: calls, different: [] })
  assert.deepEqual([wires?.different ?? [], wires?.unknown ?? []], [[], []])
}

/** Calls a tool once, then says so. */
const calling =
  (name: string): Script =>
  (request) =>
    newestRole(request) === 'tool'
      ? { text: 'All done.' }
      : { toolCalls: [{ name, input: { to: 'Ann', of: wordOf(request) } }] }

const reply: Script = (request) => ({ text: `Coo ${wordOf(request)}.` })

/** What the model answers in each session, by the first word of it: to its request number `n`. */
const scripts: Readonly<Record<string, Script>> = {
  accepted: () => ({ text: 'Good day.', delayMs: 50 }),
  streaming: (_, n) => (n === 1 ? { text: 'one two three four', hangAfter: 2 } : { text: 'one two three four' }),
  'letter-before-effect': calling('send_letter'),
  'letter-after-effect': calling('send_letter'),
  'note-before-note': calling('write_note'),
  both: (request) =>
    newestRole(request) === 'tool'
      ? { text: 'All done.' }
      : {
          toolCalls: [
            { id: 'a', name: 'send_letter', input: { of: 'both, stopped after-effect' } },
            { id: 'b', name: 'write_note', input: { of: 'both' } },
          ],
        },
  between: (request, n) => (n === 2 ? { hangAfter: 0 } : calling('send_letter')(request, n)),
  'reply-before-sending': reply,
  'reply-after-sending': reply,
}

test('a gateway that is killed in the midst of many turns', async (t) => {
  const counts = new Map<string, number>()
  const { start, lines, requests } = await world(t, (request) => {
    const word = wordOf(request)
    counts.set(word, (counts.get(word) ?? 0) + 1)
    return scripts[word]!(request, counts.get(word)!)
  })
  const requestsOf = (word: string) => requests.filter((request) => wordOf(request) === word)
  const linesOf = (file: string, word: string) => lines(file).filter((line) => line.includes(word))

  const before = await start({ stops: true })
  const streaming = await before.say('streaming count')
  assert.equal(await before.firstWords(streaming), 'one ')
  const letters = { before: await before.say('letter-before-effect'), after: await before.say('letter-after-effect') }
  await before.reaches('before-effect', 'letter-before-effect')
  await before.reaches('after-effect', 'letter-after-effect')
  const note = await before.say('note-before-note')
  await before.reaches('before-note', 'note-before-note')
  const both = await before.say('both a letter and a note')
  await before.reaches('after-effect', 'both')
  while (countOf(await before.log(both.session), 'tool-end') === 0) await sleep(2)
  const between = await before.say('between a tool and the next call')
  while (requestsOf('between').length < 2) await sleep(2)
  const bound = (await before.sessions()).filter(({ binding }) => binding?.channel === 'pigeon')
  const replies = {
    before: await before.say('reply-before-sending', bound[0]!.id),
    after: await before.say('reply-after-sending', bound[1]!.id),
  }
  await before.reaches('before-sending', 'reply-before-sending')
  await before.reaches('after-sending', 'reply-after-sending')
  const accepted = await before.say('accepted', undefined, 'only once')
  await before.kill()
  const after = await start()

  await t.test('right after it accepted a message answers it at its next start', async () => {
    assert.deepEqual(await after.say('accepted', undefined, 'only once'), { ...accepted, repeated: true })
    assert.equal(await after.answer(accepted), 'Good day.')
    const log = await after.log(accepted.session)
    assert.deepEqual([countOf(log, 'input'), countOf(log, 'message'), countOf(log, 'turn-end')], [1, 1, 1])
  })

  await t.test('in the middle of a stream answers again, and no answer appears twice', async () => {
    assert.equal(await after.answer(streaming), 'one two three four')
    const log = await after.log(streaming.session)
    assert.deepEqual([countOf(log, 'message'), countOf(log, 'turn-start'), countOf(log, 'turn-end')], [1, 1, 1])
    const [first, second] = requestsOf('streaming')
    assert.equal(first!.sha256, second!.sha256)
    assert.equal(await after.answer(await after.say('again', streaming.session)), 'one two three four')
    await assertIdentical(after, streaming.session, 3)
  })

  for (const [when, sent] of [
    ['before', 0],
    ['after', 1],
  ] as const) {
    await t.test(`in a tool, ${when} its effect, does not run the tool again and tells the model`, async () => {
      const turn = letters[when]
      assert.equal(await after.answer(turn), 'All done.')
      assert.equal(linesOf('letters', `letter-${when}-effect`).length, sent)
      const told = requestsOf(`letter-${when}-effect`)
      assert.match(told[1]!.bytes.toString(), /may or may not have taken effect/)
      assert.equal(told.length, 2)
      const log = await after.log(turn.session)
      assert.deepEqual([countOf(log, 'tool-start'), countOf(log, 'tool-end'), countOf(log, 'message')], [1, 0, 3])
      await assertIdentical(after, turn.session, 2)
    })
  }

  await t.test('in a tool that may be repeated, repeats it', async () => {
    assert.equal(await after.answer(note), 'All done.')
    assert.equal(linesOf('note-runs', 'note-before-note').length, 2)
    assert.match(requestsOf('note-before-note')[1]!.bytes.toString(), /It is noted/)
    await assertIdentical(after, note.session, 2)
  })

  await t.test('while two tools ran side by side, doubts only the one that had not ended', async () => {
    assert.equal(await after.answer(both), 'All done.')
    assert.deepEqual([linesOf('letters', '"both').length, linesOf('note-runs', '"both').length], [1, 1])
    const told = messagesOf(requestsOf('both')[1]!).slice(-2)
    assert.match(told[0]!.content, /may or may not have taken effect/)
    assert.match(told[1]!.content, /It is noted/)
  })

  await t.test(
    'between the end of a tool and the next call continues with the result and runs nothing again',
    async () => {
      assert.equal(await after.answer(between), 'All done.')
      assert.equal(linesOf('letters', '"between').length, 1)
      const [, second, third] = requestsOf('between')
      assert.match(third!.bytes.toString(), /The letter is on its way/)
      assert.equal(third!.sha256, second!.sha256)
      await assertIdentical(after, between.session, 3)
    },
  )

  const sending = [
    ['before', 1, 'before a reply was sent sends it once, and records it once'],
    [
      'after',
      2,
      'after a reply was sent and before that was recorded sends it once more under the same name, and records it once',
    ],
  ] as const
  for (const [when, copies, name] of sending) {
    await t.test(name, async () => {
      const { session, turn } = replies[when]
      while (countOf(await after.log(session), 'delivered') === 0) await sleep(2)
      assert.deepEqual(linesOf('sent', turn), Array(copies).fill(`${turn} Coo reply-${when}-sending.`))
      assert.equal(requestsOf(`reply-${when}-sending`).length, 1)
    })
  }

  await after.kill()
  const last = await start()
  for (const [when, copies] of sending) {
    await t.test(`${when} a reply was sent and killed once more sends only the next reply`, async () => {
      const { session } = replies[when]
      assert.equal(await last.answer(await last.say('and you?', session)), `Coo reply-${when}-sending.`)
      while (countOf(await last.log(session), 'delivered') < 2) await sleep(2)
      assert.equal(linesOf('sent', `reply-${when}-sending`).length, copies + 1)
      assert.equal(countOf(await last.log(session), 'delivered'), 2)
      await assertIdentical(last, session, 2)
    })
  }
})

test('killed again and again while many messages wait, it loses none, repeats none and keeps their order', async (t) => {
  let hurries = false
  const { start, lines } = await world(t, (request, n) => {
    if (newestRole(request) === 'tool' || !request.newest.includes('letter')) {
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
