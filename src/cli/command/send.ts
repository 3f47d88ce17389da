import type { Submitted } from '../../runtime.ts'
import type { TurnOutcome } from '../../session.ts'
import type { Command, CommandCall } from '../command.ts'
import { connected, type Connection } from '../connection.ts'
import { usageFailure } from '../failure.ts'
import { interruptible } from '../interrupt.ts'
import { type Io, note, printJson, readInput } from '../io.ts'
import { styled } from '../style.ts'
import { cancel, follow, submit, turnView } from '../turn.ts'
import { turnDisplay } from '../turn-display.ts'

export const send: Command = {
  name: 'send',
  summary: 'send one message and print the answer',
  usage: ['send TEXT [--session ID] [--model ID] [--json]', 'send - < FILE'],
  details:
    'The text of the answer streams to the standard output. A failed turn ends with exit code 1; the message is kept ' +
    'in the session either way. Works with and without a running gateway.',
  words: { least: 1, most: Infinity },
  options: {
    session: { value: 'ID', summary: 'go on in this session (a new one otherwise)' },
    model: { value: 'ID', summary: 'the model for this turn alone, such as ollama/llama3.2' },
    key: { value: 'KEY', summary: 'idempotency key: the same key again answers the same turn' },
    json: { summary: 'print {sessionId, turnId, outcome, text, calls, usage, error} when the turn is over' },
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
  const outcome = await interruptible(
    io,
    () => void cancel(connection, turn).catch(() => {}),
    () => follow(connection, turn, display),
  )
  if (call.json) await printTurn(connection, turn, outcome, io)
  return exitCode(turn, outcome, io)
}

async function printTurn(connection: Connection, turn: Submitted, outcome: TurnOutcome, io: Io): Promise<void> {
  const view = await turnView(connection, turn)
  printJson(io, {
    sessionId: turn.session,
    turnId: turn.turn,
    outcome: outcome.type,
    text: view.text,
    calls: view.calls,
    usage: view.totals,
    ...(outcome.type === 'failed' ? { error: { code: outcome.code, message: outcome.message } } : {}),
  })
}

function exitCode(turn: Submitted, outcome: TurnOutcome, io: Io): number {
  if (outcome.type === 'completed') return 0
  if (outcome.type === 'cancelled') return 130

  note(io, `${styled(io, 'red', 'foreword send', io.stderr)}: ${outcome.code}: ${outcome.message}`)
  note(io, `  The message is kept in session ${turn.session}.`)
  return 1
}
