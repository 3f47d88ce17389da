import type { Command, CommandCall, GatewayConnection, Io } from '../../../capability.ts'
import {
  CommandFailure,
  findSession,
  jsonOption,
  note,
  onInterrupt,
  print,
  printJson,
  width,
  withConnection,
  printAnswer,
} from '../../../cli.ts'
import {
  followSession,
  fetchSessionView,
  type SessionView,
  clientSessionIn,
  sessionOfClient,
} from '../watch/session-view.ts'
import { liveBlock, callSentence, statusBarText, viewLines } from '../watch/view-text.ts'

export const watchCommand: Command = {
  name: 'watch',
  group: 'talk',
  summary: 'show a session while it runs: its window by layer, its cost, its cache, its last call',
  usage: ['watch [SESSION] [--json]', 'watch --line [SESSION] [--json]'],
  details:
    'Shows the session with the newest activity unless one is named, your own or one of `foreword wrap`, and draws it again after ' +
    'each call until Ctrl-C. Without a terminal, each call is a line. With `--line` it prints one line and ends, for a status bar: ' +
    'Claude Code writes which session it is to the command of its `statusLine`, and that session is looked for.',
  words: { least: 0, most: 1 },
  options: {
    line: { summary: 'print one line for a status bar, and end' },
    json: { ...jsonOption, summary: 'print the view as JSON, once per change' },
  },
  run: (call, io) =>
    withConnection(call.home, io, 'read', (connection) =>
      call.has('line') ? printLine(connection, call, io) : followLive(connection, call, io),
    ),
}

async function printLine(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const session = await sessionForLine(connection, call, io)
  const view = session === undefined ? undefined : await fetchSessionView(connection, session)
  return printAnswer(view ?? null, () => (view === undefined ? 'foreword: no call yet' : statusBarText(view)), call, io)
}

async function sessionForLine(connection: GatewayConnection, call: CommandCall, io: Io): Promise<string | undefined> {
  const [word] = call.words
  if (word !== undefined) return await findSession(connection, word)
  const id = await clientSessionIn(io)
  if (id !== undefined) return await sessionOfClient(connection, id)
  try {
    return await findSession(connection, 'last')
  } catch (error) {
    if (error instanceof CommandFailure && error.code === 'not-found') return undefined
    throw error
  }
}

async function followLive(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const session = await findSession(connection, call.words[0] ?? 'last')
  const stopping = new AbortController()
  const stop = onInterrupt(io, () => stopping.abort())
  const show = call.json
    ? (view: SessionView) => printJson(io, view)
    : io.stdout.isTTY === true
      ? showBlock(io, stopping.signal)
      : showCalls(io)
  try {
    for await (const view of followSession(connection, session, stopping.signal)) show(view)
  } catch (error) {
    // The gateway of a run ends with the run.
    if (!(error instanceof TypeError)) throw error
    note(io, `The gateway has ended. \`foreword calls ${session}\` shows the session to its end.`)
  } finally {
    stop()
    stopping.abort()
  }
  return 0
}

type Show = (view: SessionView) => void

/** A block that is drawn again after each change, and when the terminal has another size. */
function showBlock(io: Io, signal: AbortSignal): Show {
  const block = liveBlock(io.stdout)
  let shown: SessionView | undefined
  const draw = () => shown && block.draw(viewLines(shown, Math.max(20, width(io) - 1), io))
  io.stdout.on('resize', draw)
  signal.addEventListener('abort', () => io.stdout.off('resize', draw))
  return (view) => {
    shown = view
    draw()
  }
}

function showCalls(io: Io): Show {
  let seen: string | undefined
  return (view) => {
    if (view.last === undefined || view.last.id === seen) return
    seen = view.last.id
    print(io, `${callSentence(view.last)} · ${statusBarText(view)}`)
  }
}
