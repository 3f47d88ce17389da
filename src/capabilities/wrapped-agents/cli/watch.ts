import type { Command, CommandCall, GatewayConnection, Io, Output } from '../../../capability.ts'
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
  applyStyle,
  cutToCells,
} from '../../../cli.ts'
import {
  followSession,
  fetchSessionView,
  type SessionView,
  clientSessionIn,
  sessionOfClient,
  cacheText,
  callsText,
  knownCostText,
  MOST_CALLS,
  shareText,
  type SessionViewCall,
} from '../session-view.ts'
import { exactMoneyText, exactLine, numberText, shortNumberText } from '../../../context.ts'

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

const WIDEST_BAR = 100

function viewLines(view: SessionView, columns: number, io: Io): readonly string[] {
  const { session, title, client, model, slots, sums, lastCache, lastCut, lastBreak, last } = view
  const head = [client, model, session, title && `“${title}”`].filter(Boolean).join(' · ')
  const cache = lastCache && `, ${shareText(lastCache.cached ?? 0, lastCache.total)} of the last call`
  const lines = [
    windowText(view),
    slots.map(([slot, tokens]) => `${letterOf(slot)} ${slot} ${numberText(tokens)}`).join('  '),
    `${sums.calls === MOST_CALLS ? 'newest ' : ''}${callsText(sums.calls)} · ${knownCostText(sums)} · ${cacheText(sums.cachedTokens, sums.promptTokens)}${cache ?? ''}`,
    `last cut    ${lastCut ?? 'none'}`,
    `cache       ${lastBreak ?? 'nothing was sent again'}`,
    `last call   ${last === undefined ? 'none yet' : callSentence(last)}`,
  ]
  const fitted = lines.map((line) => cutToCells(exactLine(line), columns))
  const bar = windowBar(view, Math.min(columns, WIDEST_BAR))
  return [applyStyle(io, 'bold', cutToCells(exactLine(head), columns)), applyStyle(io, 'cyan', bar), ...fitted]
}

function statusBarText({ model, used, window, sums, lastCache, lastCut }: SessionView): string {
  const size =
    used === 0
      ? undefined
      : window === undefined
        ? `${shortNumberText(used)} tokens`
        : `${shortNumberText(used)}/${shortNumberText(window)} (${shareText(used, window)})`
  const cache = lastCache && `cache ${shareText(lastCache.cached ?? 0, lastCache.total)}`
  return [model && exactLine(model), size, knownCostText(sums), cache, lastCut && 'cut'].filter(Boolean).join(' · ')
}

function callSentence({ time, model, foreign, outcome, cost, figures }: SessionViewCall): string {
  const { usage, durationMs, error } = outcome ?? {}
  const { basis, total: read } = figures
  const cached = basis === 'reported' ? ` (${cacheText(figures.cached, read)})` : ''
  const parts = [
    new Date(time).toLocaleTimeString('en-GB'),
    foreign?.kind ?? 'turn',
    model,
    `${numberText(read)} read${cached}`,
    ...(usage?.outputTokens === undefined ? [] : [`${numberText(usage.outputTokens)} written`]),
    cost === undefined ? 'cost unknown' : exactMoneyText(cost),
    ...(durationMs === undefined ? [] : [`${(durationMs / 1_000).toFixed(1)} s`]),
    ...(error === undefined ? [] : [`failed: ${error.code}`]),
  ]
  return exactLine(parts.join(' · '))
}

function windowText({ used, window, slots }: SessionView): string {
  if (used === 0 && slots.length === 0) return 'no call of the conversation yet'
  const tokens = `${numberText(used)} tokens`
  if (window === undefined) return `${tokens}; the window of the model is not known`
  return `${numberText(used)} of ${numberText(window)} tokens (${shareText(used, window)})`
}

/** The window from left to right: each cell has the letter of the slot that fills it, and a dot where it is free. */
function windowBar({ slots, used, window }: SessionView, columns: number): string {
  const room = Math.max(1, columns - 2)
  const whole = Math.max(window ?? used, used, 1)
  let [text, sum] = ['', 0]
  for (const [slot, tokens] of slots) {
    sum += tokens
    text += letterOf(slot).repeat(Math.max(0, Math.round((sum / whole) * room) - text.length))
  }
  return `[${text.padEnd(room, '·')}]`
}

const LETTERS: Readonly<Record<string, string>> = {
  tools: 'T',
  system: 'S',
  preamble: 'P',
  history: 'H',
  'before-input': 'B',
  input: 'I',
  'after-input': 'A',
}

function letterOf(slot: string): string {
  return LETTERS[slot] ?? slot.charAt(0).toUpperCase()
}

/** A block on a terminal, below what is there. It stays where it is when nothing draws it any more. */
function liveBlock(stdout: Output) {
  let drawn: readonly string[] = []
  return {
    draw(lines: readonly string[]): void {
      // A terminal that became narrower has wrapped what was drawn.
      const columns = stdout.columns || 100
      const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(cells(line) / columns)), 0)
      const back = rows === 0 ? '' : `\u001B[${rows}A\r\u001B[J`
      stdout.write(`${back}${lines.map((line) => `${line}\n`).join('')}`)
      drawn = lines
    },
  }
}

/** Without what only changes looks. */
function cells(line: string): number {
  // oxlint-disable-next-line no-control-regex -- looks begin with a control character
  return line.replaceAll(/\u001B\[\d+m/g, '').length
}
