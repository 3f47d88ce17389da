import { askingAlone, personIsHere } from '../approval/asking.ts'
import { personWatch } from '../approval/person-watch.ts'
import { absentWatch } from '../approval/watch.ts'
import type { Command, CommandCall } from '../command.ts'
import { connected, type Connection } from '../connection.ts'
import { usageFailure } from '../failure.ts'
import { interruptible } from '../interrupt.ts'
import { type Io, printJson, readInput } from '../io.ts'
import { cancel, follow, submit } from '../turn.ts'
import { turnDocument, turnExitCode } from '../turn-end.ts'
import { turnDisplay } from '../turn-display.ts'

export const send: Command = {
  name: 'send',
  summary: 'send one message and print the answer',
  usage: ['send TEXT [--session ID] [--model ID] [--json]', 'send - < FILE'],
  details:
    'The text of the answer streams to the standard output. A failed turn ends with exit code 1; the message is kept ' +
    'in the session either way. Works with and without a running gateway.\nA call that waits for your approval is shown ' +
    'and asked about on a terminal. Elsewhere send says so and waits for `foreword approve`; without a running gateway it ' +
    'ends with exit code 3, and `foreword approve ID` goes on with the turn.',
  words: { least: 1, most: Infinity },
  options: {
    session: { value: 'ID', summary: 'go on in this session (a new one otherwise)' },
    model: { value: 'ID', summary: 'the model for this turn alone, such as ollama/llama3.2' },
    key: { value: 'KEY', summary: 'idempotency key: the same key again answers the same turn' },
    json: { summary: 'print {sessionId, turnId, outcome, text, calls, usage, error, approval} when the turn is over' },
  },
  run: (call, io) => connected(call.home, io, 'write', (connection) => sendOver(connection, call, io)),
}

async function sendOver(connection: Connection, call: CommandCall, io: Io): Promise<number> {
  const text = call.words.join(' ') === '-' ? await readInput(io) : call.words.join(' ')
  if (text.trim() === '') throw usageFailure('There is no text to send.', 'Write `foreword send "TEXT"`.')
  const turn = await submit(connection, {
    text,
    session: call.text('session'),
    model: call.text('model'),
    idempotencyKey: call.text('key'),
  })
  const display = call.json ? undefined : turnDisplay(io, { details: io.stdout.isTTY === true })
  const end = await interruptible(
    io,
    () => void cancel(connection, turn).catch(() => {}),
    (interrupt) => {
      const person = !call.json && personIsHere(io)
      const watch = person ? personWatch(connection, io, askingAlone(io, interrupt)) : absentWatch(connection, io)
      return follow(connection, turn, { display, watch })
    },
  )
  if (call.json) printJson(io, await turnDocument(connection, turn, end))
  return turnExitCode('foreword send', turn, end, io)
}
