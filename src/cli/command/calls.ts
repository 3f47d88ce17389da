import { requestJson, apiPath } from '../answer.ts'
import { assertWords, jsonOption } from '../arguments.ts'
import {
  type Command,
  type CommandCall,
  costSource,
  exactMoneyText,
  type GatewayConnection,
  type Io,
  type CallPrice,
  sentDifferently,
} from '../../capability.ts'
import { withConnection } from '../connection.ts'
import { usageFailure, usageText } from '../failure.ts'
import { diffCommand, explainCommand, notesCommand, replayCommand } from './inspect.ts'
import { requestCommand } from './request.ts'
import { type CallLine, fetchAllCalls, findCall, findSession } from '../find-session.ts'
import { foreignCallsText, reportedTokens } from '../sessions/foreign-calls.ts'
import type { CallOutcome, CallRecord, Usage } from '../../session.ts'
import { lineLimit, print, printJson, printList, applyStyle } from '../io.ts'
import { outlineText } from '../preview.ts'
import { cutToCells, singleLine, table, rowTable } from '../table.ts'
import { timeText } from '../time-text.ts'
import {
  calibratedManifest,
  calibratedTokens,
  type CallFigures,
  countedText,
  type CutRecord,
  exactLine,
  type Manifest,
  type ManifestEntry,
  numberText,
} from '../../context.ts'
import { fetchTurnPieces } from '../turn-rows.ts'
import { programText } from '../sessions/session-table.ts'

/** What shows more of a call or of a session, by the word after `calls`. Each was a command of its own. */
const views: Readonly<Record<string, Command>> = {
  request: requestCommand,
  diff: diffCommand,
  replay: replayCommand,
  explain: explainCommand,
  notes: notesCommand,
}

export const callsCommand: Command = {
  name: 'calls',
  group: 'look',
  summary: 'list the model calls of a session, or show what one of them read',
  usage: [
    'calls SESSION [--json]',
    'calls SESSION CALL [--json]',
    'calls CALL [--json]',
    ...Object.values(views).flatMap(({ usage }) => usage.map((form) => `calls ${form}`)),
  ],
  details:
    'Prompt tokens are as the provider reported them; `about`: it has not, and they are as expected; `-`: not reported. With a call, each candidate of it has a line, and what was left out or shortened has a sentence with the ' +
    'numbers that decided. Calls of another program have their turn, what each was for, and what changed since the call before; one of them is shown by layer, ' +
    `with what each part cost.\n${Object.values(views)
      .map(({ name, summary }) => `\`${name}\`: ${summary}.`)
      .join('\n')}\nDescribe one of them with \`foreword ${requestCommand.name} --help\`.`,
  words: { least: 1, most: Math.max(2, ...Object.values(views).map(({ words }) => words.most + 1)) },
  options: {
    ...Object.assign({}, ...Object.values(views).map(({ options }) => options)),
    json: { ...jsonOption, summary: 'print one record per line, or the manifest of the call' },
  },
  run(call, io) {
    const [name = '', ...words] = call.words
    if (Object.hasOwn(views, name)) return runView(views[name]!, { ...call, words }, io)
    return withConnection(call.home, io, 'read', (connection) =>
      call.words.length > 1 || CALL_ID.test(name) ? showCall(connection, call, io) : listCalls(connection, call, io),
    )
  },
}

/** As the page and the list name a call: it says by itself of which session it is. */
const CALL_ID = /^call_\w+$/

function runView(view: Command, call: CommandCall, io: Io): Promise<number> {
  const foreign = Object.keys(callsCommand.options).find((name) => call.has(name) && !Object.hasOwn(view.options, name))
  if (foreign !== undefined) throw usageFailure(`calls ${view.name} has no --${foreign}.`, usageText(view.usage))
  assertWords(view, call.words)
  return view.run(call, io)
}

async function showCall(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const [session, word] = call.words.length > 1 ? call.words : [undefined, call.words[0]]
  const id = await findCall(connection, word!, session)
  const manifest = await requestJson<PricedManifest>(connection, apiPath('/api/calls/', id, '/manifest'))
  if (call.json) return printJson(io, manifest)
  if (!FORMATS.has(manifest.layout)) {
    const pieces = await fetchTurnPieces(connection, id)
    const outline = outlineText({ manifest, figures: manifest.figures }, io, pieces)
    print(io, [outline, '', readLine(manifest), ...sentDifferently(manifest)].join('\n'))
    return 0
  }
  const record = await requestJson<CallRecord>(connection, apiPath('/api/calls/', id))
  print(io, foreignCallText(record, calibratedManifest(manifest, manifest.figures.total), io))
  return 0
}

async function listCalls(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const session = await findSession(connection, call.words[0]!)
  const calls = await fetchAllCalls(connection, session)
  const isForeign = calls.some(({ foreign }) => foreign)
  const shown = () => (isForeign ? foreignCallsText(calls, session, io) : callTable(calls, io))
  const empty = `No calls in session ${session} yet. Send a message with \`foreword chat --session ${session}\`.`
  return printList(calls, { empty, table: shown }, call, io)
}

function callTable(calls: readonly CallLine[], io: Io): string {
  const now = new Date()
  const rows = calls.map(({ id, time, model, figures, outcome, kind, cutRecord }) => ({
    call: id,
    time: timeText(time, now),
    model,
    prompt: `${numberText(figures.total)}${figures.basis === 'reported' ? '' : ' about'}`,
    cached: reportedTokens(figures.basis === 'reported' ? figures.cached : undefined),
    output: reportedTokens(outcome?.usage?.outputTokens),
    cost: figures.money === undefined ? '-' : exactMoneyText(figures.money),
    end:
      outcome?.error?.code ??
      ([kind, cutRecord && `cut ${cutRecord.turns}`, outcome?.finish, outcome?.warning?.code]
        .filter(Boolean)
        .join(', ') ||
        '-'),
  }))
  const right = ['prompt', 'cached', 'output', 'cost'] as const
  return rowTable(rows, io, { right, spare: ['cached', 'model', 'output', 'end'] })
}

/** The account of a call with what is known of it afterwards. */
interface PricedManifest extends Manifest, Pick<CallOutcome, 'wire'> {
  readonly figures: CallFigures
  readonly reported?: Usage
  readonly paid?: CallPrice
  readonly reuse?: { readonly tokens: number; readonly firstChange?: { readonly why?: string } }
  /** Where this call cut more than the one before it. */
  readonly cutRecord?: CutRecord
}

/** `foreign`: of a call that could not be taken apart. */
const FORMATS: ReadonlySet<string> = new Set([
  'messages',
  'responses',
  'chat-completions',
  'generate-content',
  'embeddings',
  'foreign',
])

/** A call of another program: what it was for, what it used and cost, what changed, and each part of it by layer. */
function foreignCallText(call: CallRecord, manifest: PricedManifest, io: Io): string {
  const { client = 'unknown', version, kind } = call.foreign ?? {}
  const program = programText({ name: client, ...(version === undefined ? {} : { version }) })
  const title = applyStyle(io, 'bold', exactLine([program, kind, call.model].filter(Boolean).join(', ')))
  if (manifest.layout === 'foreign') return [title, unknownLine(call), ...endLines(call)].join('\n')
  return [
    title,
    ...usageLines(call.manifest.used, manifest),
    ...endLines(call),
    ...cutLines(call, manifest),
    ...(kind === 'count' ? [] : reuseLines(manifest)),
    '',
    ...layerLines(manifest, io),
  ].join('\n')
}

/** A path of another kind, such as pictures, or a body that is no JSON. */
function unknownLine(call: CallRecord): string {
  const { method, path } = (call.input as { readonly foreign: { readonly method: string; readonly path: string } })
    .foreign
  const status = call.outcome?.foreign?.status
  const answered = status === undefined ? '' : ` was answered ${status}. It`
  return exactLine(`${method} ${path}${answered} has no parts: its path or its body has no format that Foreword knows.`)
}

function usageLines(used: number, manifest: PricedManifest): readonly string[] {
  if (manifest.figures.basis !== 'reported') {
    return [`${numberText(used)} tokens counted; the provider reported none.`]
  }
  return [`${readLine(manifest)} Counted here: ${numberText(used)}.`]
}

/** What was read, from where, what was answered, and the price of all. */
function readLine({ figures, reported, paid }: PricedManifest): string {
  const { outputTokens } = reported ?? {}
  const { basis, total, cached, written } = figures
  if (basis !== 'reported') return `About ${countedText(total, 'token')}: the provider reported no usage.`
  const parts = [
    `${countedText(total, 'token')} read`,
    cached === undefined ? 'cache not reported' : `${numberText(cached)} of them from the cache`,
    ...(written ? [`${numberText(written)} written to it`] : []),
    ...(outputTokens === undefined ? [] : [`${numberText(outputTokens)} answered`]),
  ]
  const money = paid ? `: ${exactMoneyText(paid.money)}${costSource(paid)}` : ''
  return `${parts.join(', ')}${money}.`
}

function endLines({ foreign, outcome }: CallRecord): readonly string[] {
  return [
    ...(foreign?.retryOf === undefined ? [] : [`It repeats ${foreign.retryOf}.`]),
    ...(outcome?.error ? [exactLine(`${outcome.error.code}: ${outcome.error.message}`)] : []),
    ...(outcome?.usageEstimated ? ['The usage is an estimate: the answer broke off before it was reported.'] : []),
  ]
}

function cutLines({ foreign, manifest }: CallRecord, { cutRecord, figures }: PricedManifest): readonly string[] {
  const { state, forgotten, why } = foreign?.assembled ?? {}
  if (state === undefined) return []
  return [
    ...(forgotten
      ? ['Cuts of earlier calls were forgotten: the program has edited or compacted its conversation.']
      : []),
    ...(state === 'cut'
      ? [cutRecord ? cutLine(cutRecord, figures.total, manifest.used) : 'It was sent with an earlier cut.']
      : []),
    ...(Object.hasOwn(WHOLE, state) ? [WHOLE[state]!] : []),
    ...(state === 'failed' ? [exactLine(`It was not cut, for a fault of the gateway: ${why ?? 'unknown'}`)] : []),
  ]
}

const WHOLE: Readonly<Record<string, string>> = {
  'too-large': 'It was not cut: no cut makes it fit.',
  'kept-elsewhere': 'It was not cut: its conversation is not in the call.',
  'window-unknown': 'It was not cut: the window of its model is not known.',
}

function cutLine({ turns, hidden, again, money }: CutRecord, total: number, used: number): string {
  const tokens = (counted: number) => `${numberText(calibratedTokens(counted, total, used))} tokens`
  const groups = countedText(turns, 'group of rounds', 'groups of rounds')
  const more = money === undefined || money <= 0 ? '' : `, ${exactMoneyText(money)} more than from a cache`
  const sent = again > 0 ? `${tokens(again)} were sent again for it${more}` : 'nothing was sent again for it'
  return `The cut left ${groups} out (${tokens(hidden)}); ${sent}.`
}

function reuseLines({ reuse, figures }: PricedManifest): readonly string[] {
  if (!reuse) return ['It is the first of its kind in the session.']
  const why = reuse.firstChange?.why
  return [
    `${numberText(figures.same ?? 0)} tokens as in the call before.${why === undefined ? '' : ` ${exactLine(why)}`}`,
  ]
}

interface Priced {
  readonly entry: ManifestEntry
  readonly money: number | undefined
}

function layerLines({ entries, paid, reported }: PricedManifest, io: Io): readonly string[] {
  const priced = entries.map((entry, index): Priced => ({ entry, money: paid?.entries[index] }))
  const layers = [...Map.groupBy(priced, ({ entry }) => entry.layer)]
  const rows = layers.flatMap(([layer, own]) => {
    const [first] = own
    const isOne = own.length === 1 && first!.entry.id === layer
    const title = exactLine(layer === 'turn' ? 'words of the conversation' : layer.replaceAll('-', ' '))
    return [
      { head: true, cells: [title, ...sums(own)] },
      ...(isOne ? [] : own.map((each) => ({ head: false, cells: [`  ${entryTitle(each.entry)}`, ...sums([each])] }))),
    ]
  })
  const { outputTokens } = reported ?? {}
  const answer =
    outputTokens === undefined ? [] : [numberText(outputTokens), paid ? exactMoneyText(paid.parts.output) : '-']
  if (answer.length > 0) rows.push({ head: true, cells: ['the answer itself', ...answer] })
  const columns = lineLimit(io)
  const widest = Math.max(20, columns - 24)
  const lines = table(
    [['part', 'tokens', 'cost'], ...rows.map(({ cells: [name = '', ...rest] }) => [cutToCells(name, widest), ...rest])],
    [1, 2],
  ).split('\n')
  return lines.map((line, index) => (index === 0 || rows[index - 1]!.head ? applyStyle(io, 'bold', line) : line))
}

function sums(all: readonly Priced[]): readonly string[] {
  const tokens = all.reduce((sum, { entry }) => sum + entry.tokens, 0)
  const isPriced = all.every(({ money }) => money !== undefined)
  return [
    numberText(tokens),
    isPriced ? exactMoneyText(Number(all.reduce((sum, { money = 0 }) => sum + money, 0).toFixed(9))) : '-',
  ]
}

/** `turn 3: Read src/parser.ts`: what people call it. */
function entryTitle(entry: ManifestEntry): string {
  const { id, layer, name, origin } = entry
  const [, turn] = /^(?:turn|earlier)-(\d+)/.exec(id) ?? []
  const isTool = layer === 'tool-call' || layer === 'tool-result'
  const rounds = id.startsWith('earlier-') ? 'older rounds' : ''
  const what = isTool ? [origin.ref, name].filter(Boolean).join(' ') : (name ?? (turn === undefined ? id : rounds))
  const said = [turn === undefined ? '' : `turn ${turn}`, what].filter((word) => word !== '').join(': ')
  return singleLine(exactLine(`${said || id}${smallerText(entry)}`), 200)
}

/** What a cut, or a tool that is described on demand, has of more tokens than were sent. */
function smallerText({ outcome, reason, fullTokens }: ManifestEntry): string {
  if (outcome === 'included' || fullTokens === 0) return ''
  const how = outcome === 'reduced' ? 'shortened from' : reason?.code === 'deferred' ? 'loaded later:' : 'left out:'
  return ` (${how} ${numberText(fullTokens)})`
}
