import { askingAlone, personIsHere } from '../approval/asking.ts'
import { personWatch } from '../approval/person-watch.ts'
import { absentWatch } from '../approval/watch.ts'
import type { Command, CommandCall } from '../command.ts'
import { connected, type Connection } from '../connection.ts'
import { usageFailure } from '../failure.ts'
import { attach } from '../files/attach.ts'
import { refuseTools } from '../for-persons.ts'
import { interruptible } from '../interrupt.ts'
import { type Io, printJson, readInput } from '../io.ts'
import { sessionWith, settingOf } from '../session-setting.ts'
import { quietSources } from '../source-list.ts'
import { cancel, follow, submit } from '../turn.ts'
import { turnDocument, turnExitCode } from '../turn-end.ts'
import { turnDisplay } from '../turn-display.ts'

export const send: Command = {
  name: 'send',
  summary: 'send one message and print the answer',
  usage: [
    'send TEXT [--session ID] [--model ID] [--json]',
    'send TEXT [--agent ID] [--project ID] [--subject ID] [--file PATH]…',
    'send - < FILE',
  ],
  details:
    'The text of the answer streams to the standard output. A turn without an answer ends with exit code 1; the message is ' +
    'kept in the session either way. Works with and without a running gateway.\nA call that waits for your approval is shown ' +
    'and asked about on a terminal. Elsewhere send says so and waits for `foreword approve`; without a running gateway it ' +
    'ends with exit code 3, and `foreword approve ID` goes on with the turn.',
  words: { least: 1, most: Infinity },
  options: {
    session: { value: 'ID', summary: 'go on in this session (a new one otherwise)' },
    model: { value: 'ID', summary: 'the model for this turn alone, such as ollama/llama3.2' },
    agent: { value: 'ID', summary: 'the custom agent that answers in the session, by its id or name' },
    project: { value: 'ID', summary: 'the project of the session, by its id or name' },
    subject: { value: 'ID', summary: 'the subject that the session is about' },
    file: { value: 'PATH', summary: 'attach a file, or one that was handed in before by its id; may be repeated' },
    key: { value: 'KEY', summary: 'idempotency key: the same key again answers the same turn' },
    json: {
      summary:
        'print {sessionId, turnId, outcome, text, calls, usage, citations, error, notice, approval} when the turn is over',
    },
  },
  run: (call, io) => connected(call.home, io, 'write', (connection) => sendOver(connection, call, io)),
}

async function sendOver(connection: Connection, call: CommandCall, io: Io): Promise<number> {
  const text = call.words.join(' ') === '-' ? await readInput(io) : call.words.join(' ')
  if (text.trim() === '') throw usageFailure('There is no text to send.', 'Write `foreword send "TEXT"`.')
  checkSetting(call, io)
  const session = await sessionWith(connection, call.text('session'), await settingOf(connection, call))
  const files = call.texts('file')
  const turn = await submit(connection, {
    text,
    session,
    model: call.text('model'),
    idempotencyKey: call.text('key'),
    ...(files.length === 0 ? {} : { attachments: await attach(connection, files, session, io) }),
  })
  const quiet = quietSources()
  const display = call.json ? quiet : turnDisplay(io, { details: io.stdout.isTTY === true })
  const end = await interruptible(
    io,
    () => void cancel(connection, turn).catch(() => {}),
    (interrupt) => {
      const person = !call.json && personIsHere(io)
      const watch = person ? personWatch(connection, io, askingAlone(io, interrupt)) : absentWatch(connection, io)
      return follow(connection, turn, { display, watch })
    },
  )
  if (call.json) printJson(io, await turnDocument(connection, turn, end, quiet.sources()))
  return turnExitCode('foreword send', turn, end, io)
}

/** A session keeps its agent, its project and its subject: what sets them there is for persons. */
function checkSetting(call: CommandCall, io: Io): void {
  if (!['agent', 'project', 'subject'].some((option) => call.has(option))) return
  if (call.has('session')) refuseTools(io, 'change who answers in a session, or what it is about')
  else if (call.has('key')) {
    throw usageFailure(
      'With a key, an agent, a project or a subject needs a session.',
      'Write `--session ID`, or choose them with `foreword agents use` and `foreword projects use`.',
    )
  }
}
