import assert from 'node:assert/strict'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { type AnyMessage, entryTurn, messageText } from '../../src/context.ts'
import type { ModelRequest } from '../../src/model.ts'
import { type CallRecord, type SessionStore, turnsTo } from '../../src/session.ts'
import { type ScriptedReply, scriptedModel } from '../../src/testing.ts'
import type { CallInput } from '../../src/runtime/calls/call-input.ts'
import { forAllStored } from '../arbitrary/for-all.ts'
import { type Opened, opened, tool } from './opened.ts'

const move = fc.record({
  what: fc.constantFrom('say', 'say', 'say', 'say', 'say', 'say', 'fork', 'again', 'go', 'undo', 'restart', 'kill'),
  which: fc.nat(100),
  words: fc.constantFrom(3, 90, 240),
  calls: fc.constantFrom(0, 0, 1, 2),
  /** Whether everything comes to rest before the next move, such as a note that is being written. */
  rests: fc.boolean(),
})

const histories = fc.record({
  notes: fc.constantFrom('model' as const, 'index' as const, 'off' as const),
  layout: fc.constantFrom('auto' as const, 'auto' as const, 'auto' as const, 'deepchat' as const, 'onyx' as const),
  moves: fc.array(move, { minLength: 15, maxLength: 30, size: 'max' }),
})

const moments = ['first call', 'tool', 'second call', 'note'] as const

test('whatever was said, left, undone, cut, noted, restarted and killed, a call has each turn of its branch once, in order', async (t) => {
  await forAllStored(
    histories,
    async ({ notes, layout, moves }) => {
      const broken: string[] = []
      let session = ''
      let at: Opened | undefined
      /** What happens before the kill, which is over as soon as the disk was copied. */
      let killAt: (typeof moments)[number] | undefined
      const pass = (moment: typeof killAt) => {
        if (killAt !== moment) return
        killAt = undefined
        copyHome(at!.home, 'home', 'killed')
      }
      const model = scriptedModel({
        facts: { window: 3_000, maxOutput: 400 },
        async answer(request, n) {
          const isNote = messageText(request.messages.at(-1)!).includes('Write the note that will stand')
          if (isNote) pass('note')
          if (isNote) return { text: `They spoke of ${markers(request.messages).join(' and ')}.`, usage: read(request) }
          if (at && session !== '') broken.push(...(await faults(at.store, session, request)))
          pass(request.messages.at(-1)!.role === 'tool' ? 'second call' : 'first call')
          return replyTo(request, n)
        },
      })
      at = await opened(t, {
        model,
        tools: [
          tool('look', async () => {
            pass('tool')
            return { ok: true, output: 'The water is high. '.repeat(40) }
          }),
        ],
        settings: { notes, layout, reserve: 400, margin: 0 },
      })
      const { home } = at
      t.after(() => rmSync(`${home}.killed`, { recursive: true, force: true }))
      let count = 0
      const say = async (text: string, from?: string | null) => {
        const turn = await at!.say(text, session === '' ? {} : { session, ...(from === undefined ? {} : { from }) })
        session = turn.session
      }
      const text = ({ words, calls }: { words: number; calls: number }) =>
        `said-${(count += 1)}- calls-${calls}- ${'ebb and flood '.repeat(words / 3)}`
      for (const each of moves) {
        const { what, which, rests } = each
        const rows = session === '' ? [] : (await at.store.turns(session)).filter(({ state }) => state !== 'undone')
        const heads = [null, ...rows.map(({ turn }) => turn)]
        const head = heads[which % heads.length]!
        if (session === '' || what === 'say') await say(text(each))
        else if (what === 'fork') await say(text(each), head)
        else if (what === 'again') await say(`said-${count}- calls-0- once more`)
        else if (what === 'go') await at.runtime.goOnFrom(session, head)
        else if (what === 'undo') await at.runtime.undo(session).catch(() => {})
        else if (what === 'restart') at = await at.reopened()
        else {
          const moment = moments[which % moments.length]
          killAt = moment
          await say(text(each))
          if (moment === 'note') await at.runtime.idle(session)
          if (killAt === undefined) {
            await at.runtime.close()
            copyHome(at.home, 'killed', 'home')
            at = await at.reopened()
            await at.runtime.idle(session)
          }
          killAt = undefined
        }
        if (rests) await at.runtime.idle(session)
        assert.deepEqual(broken, [])
      }
      const { different } = await at.runtime.replay(session)
      assert.deepEqual(different, [])
      await at.runtime.close()
    },
    32,
  )
})

/** Calls the tool as often as the last message asks for it, then answers. */
function replyTo(request: ModelRequest, n: number): ScriptedReply {
  const { messages } = request
  const asked = messages.findLastIndex((message) => markerOf(message) !== undefined)
  const [, calls] = /calls-(\d)-/.exec(messageText(messages[asked]!)) ?? []
  const made = messages.slice(asked).filter(({ role }) => role === 'tool').length
  const usage = read(request)
  if (made < Number(calls)) return { toolCalls: [{ id: `c${n}`, name: 'look', input: {} }], usage }
  return { text: `answered-${markerOf(messages[asked]!)!.slice(5)} ${'Twice a day. '.repeat(20)}`, usage }
}

function read(request: ModelRequest) {
  return { promptTokens: Math.round(JSON.stringify(request).length / 4), outputTokens: 20 }
}

/** `said-7-` of a message that a person sent. */
function markerOf(message: AnyMessage): string | undefined {
  return message.role === 'user' ? /^said-\d+-/.exec(messageText(message))?.[0] : undefined
}

function markers(messages: readonly AnyMessage[]): readonly string[] {
  return messages.flatMap((message) => markerOf(message) ?? [])
}

/** What is wrong with the input of the newest call of a session, as its account and its request have it. */
async function faults(store: SessionStore, session: string, request: ModelRequest): Promise<readonly string[]> {
  const calls = await store.calls(session, { last: 4 })
  const record = calls.findLast(({ kind, outcome }) => kind === undefined && outcome === undefined)
  if (!record) return ['there is no record of the call']
  const rows = await store.turns(session)
  const path = turnsTo(rows, record.turn)
  const found: string[] = []
  const wrong = (what: string, facts: unknown) => found.push(`${record.turn} ${what}: ${JSON.stringify(facts)}`)
  if (path.some(({ state }) => state === 'undone')) wrong('follows an undone turn', path)
  const before = path.map(({ turn }) => turn).slice(0, -1)
  const built = turnsOf(record)
  const earlier = (record.input as CallInput).earlier?.turns ?? 0
  const isWhole =
    built.some((_, first) => isEqual(built, before, first, earlier)) || isEqual(built, before, built.length, earlier)
  if (!isWhole) wrong('has other turns than lead to it', { built, earlier, before })

  const texts = new Map<string, string>()
  for (const entry of await store.entries(session, { types: ['input'] }))
    if (entry.type === 'input') texts.set(entry.turn, markerOf(entry.message)!)
  const sent = markers(request.messages)
  const wanted = path.map(({ turn }) => texts.get(turn)!)
  if (!isInOrder(sent, wanted) || sent.at(-1) !== wanted.at(-1)) wrong('sends its turns otherwise', { sent, wanted })
  const all = JSON.stringify(request)
  for (const marker of texts.values())
    if (!wanted.includes(marker) && all.includes(marker)) wrong('reads of another branch', marker)
  return found
}

/** Settled turns in the account of a call, each as often as it is there apart from itself. */
function turnsOf({ manifest }: CallRecord): readonly string[] {
  const turns = manifest.entries.flatMap((entry) =>
    entry.slot === 'history' && entry.reason?.code !== 'undone' ? (entryTurn(entry) ?? []) : [],
  )
  return turns.filter((turn, index) => turn !== turns[index - 1])
}

/** Whether the first turns, a gap of so many, and the rest are all of them. */
function isEqual(built: readonly string[], all: readonly string[], first: number, gap: number): boolean {
  const whole = [...built.slice(0, first), ...all.slice(first, first + gap), ...built.slice(first)]
  return whole.length === all.length && whole.every((turn, index) => turn === all[index])
}

function isInOrder(some: readonly string[], all: readonly string[]): boolean {
  let index = 0
  return some.every((each) => {
    const found = all.indexOf(each, index)
    index = found + 1
    return found >= 0
  })
}

/** What is on the disk at this moment, as a kill would leave it. */
function copyHome(home: string, from: 'home' | 'killed', to: 'home' | 'killed'): void {
  const folder = (name: string) => (name === 'home' ? home : `${home}.killed`)
  if (to === 'home')
    for (const name of readdirSync(home)) if (name.includes('.sqlite')) rmSync(join(home, name), { force: true })
  cpSync(folder(from), folder(to), { recursive: true })
  if (to === 'home') rmSync(folder(from), { recursive: true, force: true })
}
