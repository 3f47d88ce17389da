import type { Replay } from '../../runtime.ts'
import { requestJson, apiPath } from '../answer.ts'
import { jsonOption, callSessionOption } from '../arguments.ts'
import {
  type Command,
  type CommandCall,
  type GatewayConnection,
  type Io,
  exactMoneyText,
  type SessionFindings,
  type SessionNote,
  type SessionNotes,
} from '../../capability.ts'
import { withConnection } from '../connection.ts'
import { findSession, findCall } from '../find-session.ts'
import { print, printJson, applyStyle, safeForTerminal, printAnswer } from '../io.ts'
import { fetchTokenScale } from '../preview.ts'
import { type CallFigures, countedText, type Comparison, exactLine, type Manifest, numberText } from '../../context.ts'
import { type ListedSession, programText } from '../sessions/session-table.ts'

export const replayCommand: Command = {
  name: 'replay',
  group: 'look',
  movedTo: 'calls replay',
  summary: 'rebuild every call of a session and compare',
  usage: ['replay SESSION [--json]'],
  details:
    'Prints `N of N identical`, and how many of the request bodies that were sent to a provider can be rebuilt byte for byte. The exit code is 1 ' +
    'if a request or a body differs.',
  words: { least: 1, most: 1 },
  options: { json: jsonOption },
  run: (call, io) => withConnection(call.home, io, 'read', (connection) => replaySession(connection, call, io)),
}

async function replaySession(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const session = await findSession(connection, call.words[0]!)
  const result = await requestJson<Replay>(connection, apiPath('/api/sessions/', session, '/replay'))
  printAnswer(result, replayText, call, io)
  const same = result.identical === result.calls && (result.wires?.different.length ?? 0) === 0
  return same ? 0 : 1
}

function replayText(result: Replay, io: Io): string {
  const whole = result.identical === result.calls
  return [
    applyStyle(io, whole ? 'green' : 'red', `${result.identical} of ${result.calls} identical`),
    ...result.different.map(
      ({ call, expected, got, problem }) => `${call}: ${problem ?? `sha256 ${got} instead of ${expected}`}`,
    ),
    ...wireLines(result, io),
  ].join('\n')
}

function wireLines({ wires }: Replay, io: Io): readonly string[] {
  if (!wires) return []
  const { identical, different, unknown } = wires
  const count = identical + different.length
  const unmade = unknown.length === 0 ? '' : `, ${unknown.length} cannot be rebuilt to compare`
  return [
    applyStyle(
      io,
      different.length === 0 ? 'green' : 'red',
      `${identical} of ${count} bodies identical to what was sent${unmade}`,
    ),
    ...different.map(({ call, expected, got }) => `${call}: body sha256 ${got} instead of ${expected}`),
    ...new Set(unknown.map(({ why }) => why)),
  ]
}

export const diffCommand: Command = {
  name: 'diff',
  group: 'look',
  movedTo: 'calls diff',
  summary: 'compare what two calls sent',
  usage: ['diff CALL CALL [--session ID] [--json]'],
  details:
    'Lists the pieces that were added, removed, moved or changed, how much of the beginning is identical, what changed ' +
    'first, and why. Compare the newest two calls with `foreword calls diff last~1 last`.',
  words: { least: 2, most: 2 },
  options: { session: callSessionOption, json: jsonOption },
  run: (call, io) => withConnection(call.home, io, 'read', (connection) => compareCalls(connection, call, io)),
}

async function compareCalls(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const session = call.text('session')
  const [before, after] = await Promise.all(call.words.map((word) => findCall(connection, word, session)))
  const comparison = await requestJson<Comparison>(connection, apiPath('/api/diff?before=', before!, '&after=', after!))
  if (call.json) return printJson(io, comparison)
  const { calibratedTokens, compareText } = await import('../../context.ts')
  const [earlier, later] = await Promise.all([before!, after!].map((id) => fetchManifest(connection, id)))
  const names = { earlier: await namesOf(earlier!), later: await namesOf(later!) }
  const { figures, used } = later!
  // In the tokens of the provider, as the page and the list of calls have it.
  const tokens = calibratedTokens(comparison.commonPrefix.tokens, figures.total, used)
  const text = compareText(
    { ...comparison, commonPrefix: { ...comparison.commonPrefix, tokens } },
    ({ id, slot }, which) => names[which].get(`${slot} ${id}`) ?? id,
  )
  print(io, safeForTerminal(text.trimEnd(), io.stdout))
  return 0
}

interface FiguredCall extends Manifest {
  readonly figures: CallFigures
}

function fetchManifest(connection: GatewayConnection, call: string): Promise<FiguredCall> {
  return requestJson<FiguredCall>(connection, apiPath('/api/calls/', call, '/manifest'))
}

/** What people call each candidate of a call, by its slot and id. */
async function namesOf(manifest: Manifest): Promise<ReadonlyMap<string, string>> {
  const { listedName } = await import('../../context.ts')
  return new Map(manifest.entries.map((entry) => [`${entry.slot} ${entry.id}`, listedName(entry, manifest)]))
}

export const explainCommand: Command = {
  name: 'explain',
  group: 'look',
  movedTo: 'calls explain',
  summary: 'say what the calls of another program paid for without need',
  usage: ['explain SESSION [--json]'],
  details:
    'For a session of a program whose calls go through this gateway, such as Claude Code or Codex: tools that were never used, ' +
    'results that were read again, files that are in a request several times, and what broke the cache, each with its tokens ' +
    'over all calls of the session, their price, and what to do in that program. No token is in two findings; the five dearest ' +
    'are shown, and `--json` has all. `foreword check --lint` does the same for calls of this gateway.',
  words: { least: 1, most: 1 },
  options: { json: { ...jsonOption, summary: 'print {session, calls, sum, findings, agents}' } },
  run: (call, io) => withConnection(call.home, io, 'read', (connection) => explainSession(connection, call, io)),
}

async function explainSession(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const id = await findSession(connection, call.words[0]!)
  const report = await requestJson<SessionFindings>(connection, apiPath('/api/sessions/', id, '/findings'))
  if (call.json) return printJson(io, report)
  const session = await requestJson<ListedSession>(connection, apiPath('/api/sessions/', id, '?cost=true'))
  print(io, explainText(session, report, io))
  return 0
}

/** Findings that are shown whole. */
const MOST_SHOWN = 5

function explainText(
  { id, program, cost }: ListedSession,
  { calls, sum, findings, agents }: SessionFindings,
  io: Io,
): string {
  if (program === undefined) {
    return `${id} is a session of this gateway: \`foreword calls ${id}\` shows its calls, \`foreword check --lint\` what they waste.`
  }
  const looked = countedText(calls, 'call')
  const money = cost?.money === undefined ? '' : `, ${exactMoneyText(cost.money)}`
  return [
    applyStyle(io, 'bold', `${programText(program)}, ${looked} with a reported usage${money}`),
    ...(agents.length === 0 ? [] : [agentsText(agents)]),
    ...(findings.length === 0 ? ['Nothing was paid for without need that is worth a sentence.'] : []),
    ...(findings.length === 0 ? [] : [`${costText(sum)} without need, in ${countedText(findings.length, 'finding')}.`]),
    ...findings.slice(0, MOST_SHOWN).flatMap((finding) => ['', ...findingLines(finding, io)]),
    ...(findings.length > MOST_SHOWN ? ['', othersText(findings.slice(MOST_SHOWN))] : []),
    '',
    `The calls: foreword calls ${id}`,
  ].join('\n')
}

/** What the agents cost together, and the dearest of them by name. */
function agentsText(agents: SessionFindings['agents']): string {
  const nameOf = ({ id, name }: SessionFindings['agents'][number]) => exactLine(name ?? id)
  const each = agents.slice(0, MOST_SHOWN).map((agent) => {
    const parent = agents.find(({ id }) => id === agent.parent)
    const money = agent.money === undefined ? '' : ` ${exactMoneyText(agent.money)}`
    return `${nameOf(agent)}${money}${parent ? ` (started by ${nameOf(parent)})` : ''}`
  })
  const isPriced = agents.every(({ money }) => money !== undefined)
  const money = Number(agents.reduce((sum, agent) => sum + (agent.money ?? 0), 0).toFixed(9))
  const calls = agents.reduce((sum, agent) => sum + agent.calls, 0)
  const more = agents.length > MOST_SHOWN ? `; ${agents.length - MOST_SHOWN} more` : ''
  const cost = isPriced ? `, ${exactMoneyText(money)}` : ''
  return `${countedText(agents.length, 'sub-agent')}, ${countedText(calls, 'call')}${cost}: ${each.join('; ')}${more}.`
}

function costText({ tokens, money }: SessionFindings['sum']): string {
  return `${numberText(tokens)} tokens${money === undefined ? '' : `, ${exactMoneyText(money)},`}`
}

/** The cheaper findings in one line. */
function othersText(findings: SessionFindings['findings']): string {
  const sum = findings.reduce(
    (all, { cost }) => ({ tokens: all.tokens + cost.tokens, money: all.money + (cost.money ?? Number.NaN) }),
    { tokens: 0, money: 0 },
  )
  const codes = [...Map.groupBy(findings, ({ code }) => code)].map(([code, all]) => `${code} ${all.length}`)
  const { tokens, money } = sum
  return `${costText({ tokens, ...(Number.isNaN(money) ? {} : { money: Number(money.toFixed(9)) }) })} in ${countedText(findings.length, 'more finding')}: ${codes.join(', ')}.`
}

function findingLines(
  { code, severity, message, hint, cost, where }: SessionFindings['findings'][number],
  io: Io,
): readonly string[] {
  const { kind, tokens, money } = cost
  const amount = `${numberText(tokens)} tokens ${kind === 'again' ? 'not read from the cache' : 'sent'}`
  const price = money === undefined ? '' : `, ${exactMoneyText(money)}`
  const calls = where.calls ?? []
  const first = calls.length === 0 ? '' : ` First in ${calls[0]!}.`
  return [
    `${applyStyle(io, severity === 'warning' ? 'yellow' : 'cyan', code)}: ${exactLine(message)}`,
    `  ${amount}${price}.${first}`,
    applyStyle(io, 'dim', `  ${exactLine(hint)}`),
  ]
}

export const notesCommand: Command = {
  name: 'notes',
  group: 'look',
  movedTo: 'calls notes',
  summary: 'show the notes that stand in the place of turns that were cut out of a session',
  usage: ['notes SESSION [--json]', 'notes SESSION --write [--json]', 'notes SESSION --forget [--json]'],
  details:
    'A conversation that no longer fits its window is cut: the first turns and the newest stay, and a note takes the place of ' +
    'the others. `--write` has the newest note written again by the model of the session; what is behind it is then sent again ' +
    'at its full price. `--forget` leaves the notes out from the next call on. `context.notes` in config.json decides whether ' +
    'the model writes notes (`model`), an index is made (`index`), or nothing (`off`).',
  words: { least: 1, most: 1 },
  options: {
    write: { summary: 'have the newest note written again' },
    forget: { summary: 'leave the notes out from the next call on' },
    json: jsonOption,
  },
  run: (call, io) =>
    withConnection(call.home, io, call.has('write') || call.has('forget') ? 'write' : 'read', (connection) =>
      workOnNotes(connection, call, io),
    ),
}

async function workOnNotes(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const session = await findSession(connection, call.words[0]!)
  const path = apiPath('/api/sessions/', session, '/notes')
  const sized = () => fetchTokenScale(connection, session)
  if (call.has('forget')) {
    const answer = await requestJson<{ readonly forgotten: number }>(connection, path, { method: 'DELETE' })
    const text = answer.forgotten === 1 ? '1 note is left out.' : `${answer.forgotten} notes are left out.`
    return printAnswer(answer, () => text, call, io)
  }
  if (call.has('write')) {
    const note = await requestJson<SessionNote>(connection, path, { method: 'POST' })
    return printAnswer(
      call.json ? note : sizedNote(note, await sized()),
      (shown) => noteText(shown, shown.id, io),
      call,
      io,
    )
  }
  const all = await requestJson<SessionNotes>(connection, path)
  if (call.json || all.notes.length === 0) return printAnswer(all, notesText, call, io)
  const scale = await sized()
  const notes = all.notes.map((note) => sizedNote(note, scale))
  return printAnswer({ ...all, notes }, notesText, call, io)
}

function notesText({ notes, first, ready, fault, noWords }: SessionNotes, io: Io): string {
  const lines = [
    ...(notes.length === 0
      ? ['There are no notes: nothing was cut out of this session, or its notes are left out.']
      : notes.map((note, index) => noteText(note, `note ${index + 1}`, io))),
    ...(first.length > 0
      ? [`The first ${first.length === 1 ? 'turn stays' : `${first.length} turns stay`} as said.`]
      : []),
    ...(ready ? [`Words for the next note are ready (call ${ready.call}).`] : []),
    ...(fault === undefined ? [] : [`The last answer of the model became no note (${fault}): the note is an index.`]),
    ...(noWords === undefined ? [] : [noWords]),
  ]
  return lines.join('\n\n')
}

/** A note with its size in the tokens of the provider. */
function sizedNote(note: SessionNote, sized: (counted: number) => number): SessionNote {
  return { ...note, tokens: sized(note.tokens) }
}

function noteText({ turns, from, to, fromNumber, toNumber, ...note }: SessionNote, name: string, io: Io): string {
  const { tokens, by, text } = note
  const first = fromNumber ?? from
  const covered = turns === 1 ? `turn ${first}` : `${turns} turns, ${first} to ${toNumber ?? to}`
  const writer = by === undefined ? 'an index' : `words of call ${by}`
  const head = applyStyle(io, 'bold', `${name}  ${covered}, ${countedText(tokens, 'token')}, ${writer}`)
  return `${head}\n${safeForTerminal(text, io.stdout)}`
}
