import {
  approvalEntry,
  approvalRequest,
  at,
  call,
  choice,
  file,
  input,
  label,
  reply,
  start,
  toolRun,
  turnEnd,
  turnStart,
  wholeTurn,
} from '../cases/session-store-entries.ts'
import { type CallOutcome, contentHash, type EntryBody, openStore, type SessionStore } from '../../src/session.ts'
import { systemClock } from '../../src/platform.ts'

/** Characters that some databases do not take. */
const ODD = 'nul \0, substitute \u001A0000, half \uD800 of a pair, whole 😀, "quoted" \u2028'

/** What a tool has answered, as the model reads it. */
const RESULT: EntryBody = {
  type: 'message',
  turn: 'turn_2',
  message: {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'tool-1', toolName: 'shell', output: { type: 'text', value: 'total 7' } },
    ],
  },
  tokens: { counter: 'chars@1', full: 10, least: 4 },
}

/** Writes a store that has rows in every table, among them the longest and the oddest texts. */
export async function fullStore(path: string): Promise<void> {
  const store = await openStore({ path, clock: systemClock })
  for (const id of ['a', 'b', 'c \0 字']) await fillSession(store, id)
  await store.bind({ channel: 'web', conversation: '1' }, 'a')
  await store.putValue('some key', { [ODD]: ODD, numbers: [1, 0.1, 1e21, null] })
  await store.putContent(ODD, ['a'])
  await store.putContent('long '.repeat(300_000))
  await store.putRecord({ kind: 'agent', id: 'x', version: 1, value: { name: ODD } } as never, at(50))
  await store.putFile(file('f1', { name: ODD }))
  await store.putFile(file('f2', { owner: { type: 'project', id: 'p' }, state: { type: 'processing' } }))
  for (const second of [60, 61, 62]) {
    const facts = { kind: 'change', rule: 'config.json', by: 'cli', reason: `change ${second}` } as const
    await store.transaction([{ type: 'audit', facts, time: at(second) }])
  }
  await store.deleteSession('b')
  await store.close()
}

async function fillSession(store: SessionStore, id: string): Promise<void> {
  await store.append(id, [start, choice('model', 'lab/m1'), label({ title: ODD })], at(1))
  await store.append(id, wholeTurn('turn_1'), at(2))
  const stored = await store.putContent(`result of ${id}`, [id])
  await store.append(
    id,
    [
      input('turn_2', 'key-1'),
      turnStart('turn_2'),
      approvalRequest('turn_2'),
      approvalEntry('turn_2', { type: 'approve', scope: 'once' }),
    ],
    at(3),
  )
  const record = call(`call_${id}`, { session: id, turn: 'turn_2' })
  await store.transaction([
    { type: 'call', record },
    {
      type: 'append',
      session: id,
      bodies: [
        { type: 'assembly', turn: 'turn_2', call: record.id } as never,
        ...toolRun('turn_2', stored),
        RESULT,
        reply('turn_2'),
        turnEnd('turn_2'),
      ],
      time: at(4),
    },
  ])
  await store.finishCall(record.id, {
    finish: 'stop',
    usage: { promptTokens: 7, outputTokens: 3, cost: 0.000_31 },
  } as unknown as CallOutcome)
  if (id === 'a') {
    await store.putCall(call('call_foreign'))
    await store.finishCall('call_foreign', { foreign: { id: 'answer_1', status: 200 } } as unknown as CallOutcome)
    const message = { role: 'user' as const, content: 'very long '.repeat(150_000) }
    await store.append(id, [{ ...input('turn_3'), message } as never], at(5))
    await store.putContent(`shared ${contentHash(id)}`, [id], { shared: true })
  }
}
