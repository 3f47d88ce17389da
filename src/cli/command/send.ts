import type { Command, CommandCall, GatewayConnection, Io } from '../../capability.ts'
import { withConnection } from '../connection.ts'
import { CommandFailure, usageFailure, refuseTools } from '../failure.ts'
import { attachToMessage } from '../attach/attach.ts'
import { findNewestSession } from '../find-session.ts'
import { followToEnd, turnDocument, reportTurnEnd } from '../follow-to-end.ts'
import { type CommandSource, note, printJson } from '../io.ts'
import { nearestModelHint, NOT_FOUND, withNearestModel } from '../model-table.ts'
import { readPipedInput, readSystemOption, systemOption } from '../input-text.ts'
import { fetchPreview } from '../preview.ts'
import { choiceOptions, sessionChoices, choiceUsage, readChoices, sessionWithChoices } from '../session-choices.ts'
import { quietSources, rawOption, terminalDisplay } from '../turn-display.ts'
import { submit } from '../turn.ts'

export const sendCommand = (source: CommandSource): Command => ({
  name: 'send',
  group: 'talk',
  summary: 'send one message and print the answer',
  usage: [
    'send TEXT [--session ID | --continue] [--model ID] [--system TEXT|@FILE] [--json]',
    ['send TEXT', choiceUsage(source), '[--file PATH]…'].filter(Boolean).join(' '),
    'send TEXT --session ID --from TURN',
    'send [TEXT] < FILE',
    'send [TEXT] - < FILE',
  ],
  details:
    'The answer streams to standard output. A turn without an answer ends with exit code 1; the session keeps the message ' +
    'either way. The command works with and without a running gateway.\nPiped input is appended to the text, or is ' +
    'the message if there is no text. A pipe that sends nothing for two seconds is ignored; `-` as the last argument ' +
    'waits for it.\nOn a terminal, a call that waits for approval is shown, and you are asked. Without a terminal, ' +
    'send waits for `foreword approve`; without a running gateway it ' +
    'exits with code 3, and `foreword approve ID` continues the turn. Ctrl-C or a signal cancels a running turn; ' +
    'a turn that waits for approval is kept, with exit code 3.',
  words: { least: 0, most: Infinity },
  options: {
    session: { value: 'ID', summary: 'continue this session (default: a new session)' },
    continue: { summary: 'continue the newest session' },
    from: { value: 'TURN', summary: 'begin a branch after this turn of the session; `start`: at its beginning' },
    model: { value: 'ID', summary: 'the model for this turn only, as PROVIDER/MODEL' },
    system: systemOption,
    ...choiceOptions(source),
    file: {
      value: 'PATH',
      summary: 'attach a file, or a stored one by its id or, of the session or its project, its name; repeatable',
    },
    key: { value: 'KEY', summary: 'idempotency key: the same key returns the same turn' },
    raw: rawOption,
    json: {
      summary:
        'print {sessionId, turnId, outcome, text, calls, usage, citations, error, notice, approval} when the turn ends',
    },
  },
  async run(call, io) {
    checkOptions(call, io)
    const text = await messageOf(call, io)
    const system = await readSystemOption(call, io)
    return await withConnection(call.home, io, 'write', (connection) =>
      sendOver(connection, { text, system }, call, io),
    )
  },
})

interface Message {
  readonly text: string
  readonly system: string | undefined
}

async function sendOver(
  connection: GatewayConnection,
  { text, system }: Message,
  call: CommandCall,
  io: Io,
): Promise<number> {
  const named = call.has('continue') ? (await findNewestSession(connection)).id : call.text('session')
  const files = call.texts('file')
  const model = call.text('model')
  const chosen = await readChoices(connection, call, io)
  if (model !== undefined && (files.length > 0 || Object.keys(chosen).length > 0))
    await withNearestModel(connection, model, () => fetchPreview(connection, { model })).catch((error: unknown) => {
      if (error instanceof CommandFailure && error.code === NOT_FOUND) throw error
    })
  const session = await sessionWithChoices(connection, named, chosen)
  const attachments = files.length === 0 ? undefined : await attachToMessage(connection, files, session, io)
  const from = call.text('from') === 'start' ? null : call.text('from')
  // A script cannot start the server that is missing; a person sees that it is waited for, and can.
  const whenRefused = io.stdout.isTTY === true ? undefined : 'fail'
  const begin = () =>
    withNearestModel(connection, model, () =>
      submit(connection, {
        text,
        session,
        from,
        model,
        system,
        idempotencyKey: call.text('key'),
        attachments,
        whenRefused,
      }),
    ).catch(refuseLongText)
  const quiet = quietSources()
  const display = call.json ? quiet : await terminalDisplay(io, call.has('raw'))
  const { turn, end } = await followToEnd(connection, begin, io, { display, asks: !call.json })
  if (call.json) printJson(io, await turnDocument(connection, turn, end, quiet.sources()))
  const code = reportTurnEnd('foreword send', turn, end, io)
  if (model !== undefined && end.type === 'failed' && end.code === NOT_FOUND) {
    note(io, `  ${await nearestModelHint(connection, model)}`)
  }
  return code
}

function refuseLongText(error: unknown): never {
  if (!(error instanceof CommandFailure) || error.code !== 'body-too-large') throw error
  const hint = 'Write the text to a file and attach it with `--file PATH`.'
  throw new CommandFailure(error.code, error.message, { hint, cause: error })
}

/** The text of the arguments, and below it the piped input. */
async function messageOf({ words }: CommandCall, io: Io): Promise<string> {
  const patient = words.at(-1) === '-'
  const text = (patient ? words.slice(0, -1) : words).join(' ')
  const piped = await readPipedInput(io, { patient })
  const message = [text, piped ?? ''].filter((part) => part.trim() !== '').join('\n\n')
  if (message !== '') return message
  throw usageFailure('The message is empty.', 'Usage: foreword send TEXT')
}

function checkOptions(call: CommandCall, io: Io): void {
  if (call.has('session') && call.has('continue')) {
    throw usageFailure('--session cannot be combined with --continue.', 'Use one of them.')
  }
  if (call.has('from') && !call.has('session') && !call.has('continue')) {
    throw usageFailure('--from requires a session.', 'Add `--session ID` or `--continue`.')
  }
  if (call.has('system')) refuseTools(io, 'set the system prompt')
  // A session keeps its choices, and only a person may change them.
  const chosen = sessionChoices(io).find(({ name }) => call.has(name))
  if (chosen === undefined) return
  if (call.has('session') || call.has('continue')) refuseTools(io, 'change what a session has chosen')
  else if (call.has('key')) throw usageFailure(`--${chosen.name} with --key requires a session.`, 'Add `--session ID`.')
}
