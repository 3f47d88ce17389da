import { listCommand } from '../gateway-commands.ts'
import { argvText, exactLine, exactLines } from '../../context.ts'
import type { Command, CommandCall, GatewayConnection, GrantedTool, Io, WaitingChange } from '../../capability.ts'
import { defined } from '../../platform.ts'
import type { WaitingApproval } from '../../runtime.ts'
import type { ApprovalDecision, SessionRow } from '../../session.ts'
import { requestJson, apiPath, requestList } from '../answer.ts'
import { standaloneQuestioner, confirm, isInteractive, confirmAction, connectionPurpose } from '../approval/asking.ts'
import { waitingCallText, decide, findApproval, fetchApprovals } from '../approval/waiting.ts'
import { askForDecision } from '../approval/watch.ts'
import { withConnection } from '../connection.ts'
import { refuseTools, usageFailure, CommandFailure } from '../failure.ts'
import { followToEnd, turnDocument, reportTurnEnd } from '../follow-to-end.ts'
import { note, print, printJson, printList, width, applyStyle, printChange } from '../io.ts'
import { singleLine, rowTable } from '../table.ts'
import { timeText } from '../time-text.ts'
import { rawOption, terminalDisplay } from '../turn-display.ts'
import { findByName } from '../find-one.ts'
import { findSession } from '../find-session.ts'

export const approveCommand: Command = {
  name: 'approve',
  group: 'talk',
  summary: 'approve or deny calls that wait for a decision',
  usage: [
    'approve [--json]',
    'approve ID [--for-session | --for-tool] [--yes] [--follow] [--json]',
    'approve ID --deny [--reason TEXT] [--follow] [--json]',
    'approve --granted SESSION [--revoke TOOL] [--json]',
  ],
  details:
    'Without an ID, lists the calls that wait for approval. With an ID, or an unambiguous beginning of one, shows the tool, what would ' +
    'run, the folder and the changes, and asks. An approval is valid for exactly what was shown. The turn then continues: in ' +
    'the running gateway, or in this process, which prints the answer and exits with code 3 if the turn waits again. ' +
    'A tool that asks only because the model has read texts of others can be approved for this session with --for-tool: until ' +
    'the policy for the tool changes, the turn is undone, or you revoke it with --granted SESSION --revoke TOOL.',
  words: { least: 0, most: 1 },
  options: {
    'for-session': {
      summary: 'also approve the same call later in this session; for a call over budget, raise the limit',
    },
    'for-tool': {
      summary: 'also approve later calls of this tool in this session that ask only because of texts of others',
    },
    granted: { value: 'SESSION', summary: 'list the tools that are approved for a session' },
    revoke: { value: 'TOOL', summary: 'with --granted: take the approval of this tool back' },
    deny: { summary: 'deny the call' },
    reason: { value: 'TEXT', summary: 'the reason for --deny; the model reads it' },
    yes: { summary: 'approve without asking' },
    raw: rawOption,
    follow: { summary: 'print the rest of the turn, also when the gateway runs it' },
    json: { summary: 'print one waiting call per line, or {decided, decision, …} after a decision' },
  },
  async run(call, io) {
    refuseTools(io, 'approve')
    checkOptions(call)
    const [id] = call.words
    const session = call.text('granted')
    if (session !== undefined) return await grantedTools(session, call, io)
    return id === undefined || id === 'list' ? await listWaiting(call, io) : await approveCall(id, call, io)
  },
}

function checkOptions(call: CommandCall): void {
  const [id] = call.words
  const deciding = ['for-session', 'for-tool', 'deny', 'reason', 'yes', 'follow'].find((option) => call.has(option))
  if (call.has('revoke') && !call.has('granted')) {
    throw usageFailure('--revoke requires --granted.', 'Usage: foreword approve --granted SESSION --revoke TOOL')
  }
  if (call.has('granted') && (id !== undefined || deciding !== undefined)) {
    throw usageFailure('--granted takes no ID and no decision.', 'Usage: foreword approve --granted SESSION')
  }
  if (deciding !== undefined && (id === undefined || id === 'list')) {
    throw usageFailure(`--${deciding} requires the ID of a call.`, 'List the calls that wait with `foreword approve`.')
  }
  if (call.has('reason') && !call.has('deny')) {
    throw usageFailure('--reason requires --deny.', 'Usage: foreword approve ID --deny --reason TEXT')
  }
  if (['deny', 'for-session', 'for-tool'].filter((option) => call.has(option)).length > 1) {
    throw usageFailure('--deny, --for-session and --for-tool are different decisions.', 'Use one of them.')
  }
  if (call.has('deny') && call.has('yes')) {
    throw usageFailure('--deny cannot be combined with --yes.', 'Use one of them.')
  }
}

const listWaiting = listCommand(fetchApprovals, { empty: 'No calls wait for approval.', table: waitingTable })

function waitingTable(waiting: readonly WaitingApproval[], io: Io): string {
  const now = new Date()
  const rows = waiting.map((waits) => ({
    id: exactLine(waits.approval),
    session: exactLine(waits.session || (waits.program ?? '')),
    since: exactLine(timeText(waits.time, now)),
    tool: exactLine(waits.request.tool),
    call: singleLine(shortCall(waits), Math.max(20, width(io) - 40)),
  }))
  return rowTable(rows, io, { spare: ['session', 'since'] })
}

function shortCall({ request: { argv, command, input }, held }: WaitingApproval): string {
  if (held) return exactLine(held.sentence)
  if (argv !== undefined) return argvText(argv)
  return exactLine(command ?? JSON.stringify(input) ?? '')
}

/** Lists the tools that are approved for a session, or takes the approval of one back. */
async function grantedTools(word: string, call: CommandCall, io: Io): Promise<number> {
  const tool = call.text('revoke')
  return await withConnection(call.home, io, tool === undefined ? 'read' : 'write', async (connection) => {
    const path = apiPath('/api/sessions/', await findSession(connection, word), '/approvals')
    if (tool !== undefined) {
      await requestJson(connection, path + apiPath('/', tool), { method: 'DELETE' })
      return printChange({ revoked: tool }, `Took back the approval of ${exactLine(tool)}.`, call, io)
    }
    const granted = await requestList<GrantedTool>(connection, path, 'granted')
    printList(granted, { empty: 'No tools are approved for this session.', table: grantedTable }, call, io)
    return 0
  })
}

function grantedTable(granted: readonly GrantedTool[], io: Io): string {
  const now = new Date()
  const rows = granted.map(({ tool, time, by }) => ({
    tool: exactLine(tool),
    since: timeText(time, now),
    by: exactLine(by),
  }))
  return rowTable(rows, io)
}

/** Shows one waiting call, records the decision about it, and continues its turn. */
async function approveCall(id: string, call: CommandCall, io: Io): Promise<number> {
  const decides = call.has('yes') || call.has('deny') || (!call.json && isInteractive(io))
  return await withConnection(call.home, io, decides ? 'write' : 'read', async (connection) => {
    const waits = await findApproval(connection, id)
    const decision = await readDecision(waits, call, io)
    if (decision === undefined) {
      note(io, 'Nothing was decided. The call still waits.')
      return 1
    }
    if (waits.program !== undefined) {
      await decide(connection, waits, decision)
      return printChange(decisionDocument(waits, decision), decisionText(waits, decision), call, io)
    }
    // The turn is followed from the entries that the log has before the decision.
    const { entries } = await requestJson<SessionRow>(connection, apiPath('/api/sessions/', waits.session))
    const begin = async () => {
      await decide(connection, waits, decision)
      if (!call.json) note(io, decisionText(waits, decision))
      return waits
    }
    if (connection.inProcess || call.has('follow')) {
      const display = call.json ? undefined : await terminalDisplay(io, call.has('raw'))
      const options = { display, asks: !call.json, after: String(entries) }
      const { end } = await followToEnd(connection, begin, io, options)
      if (call.json)
        printJson(io, { ...decisionDocument(waits, decision), ...(await turnDocument(connection, waits, end)) })
      return reportTurnEnd('foreword approve', waits, end, io)
    }
    await begin()
    const sentence = `The turn continues. Show the answer with \`foreword sessions show ${exactLine(waits.session)}\`.`
    return printChange(decisionDocument(waits, decision), sentence, call, io)
  })
}

async function readDecision(waits: WaitingApproval, call: CommandCall, io: Io): Promise<ApprovalDecision | undefined> {
  const reason = call.text('reason')
  if (call.has('deny')) return { type: 'deny', ...defined({ reason }) }
  const scope = call.has('for-tool') ? 'tool' : call.has('for-session') ? 'session' : 'once'
  if (scope === 'tool' && waits.grant === undefined) {
    throw usageFailure(
      `${exactLine(waits.request.tool)} is not asked about because of what was read.`,
      'Approve this call once, or with --for-session.',
    )
  }
  if (call.has('yes')) {
    if (!call.json) print(io, waitingCallText(waits, io))
    return { type: 'approve', scope }
  }
  if (call.json) throw usageFailure('--json never asks.', 'Add `--yes` to approve or `--deny` to deny.')
  if (!isInteractive(io)) {
    print(io, waitingCallText(waits, io))
    throw usageFailure(
      'Cannot ask: standard input and output are not a terminal.',
      'Add `--yes` to approve or `--deny` to deny.',
    )
  }
  if (scope === 'once') return await askOnTerminal(waits, io)
  print(io, waitingCallText(waits, io))
  const what = scope === 'tool' ? `calls of ${exactLine(waits.request.tool)}` : 'this call'
  const question = waits.held ? 'Raise the limit, and let the call leave?' : `Approve ${what} for the whole session?`
  return (await confirm(io, question)) ? { type: 'approve', scope } : undefined
}

async function askOnTerminal(waits: WaitingApproval, io: Io): Promise<ApprovalDecision | undefined> {
  const gone = new AbortController()
  return await standaloneQuestioner(io, () => gone.abort())((question) =>
    askForDecision(waits, io, question, gone.signal),
  )
}

function decisionDocument({ approval, session, turn }: WaitingApproval, decision: ApprovalDecision): object {
  return { decided: approval, decision, sessionId: session, turnId: turn }
}

function decisionText({ request, held }: WaitingApproval, decision: ApprovalDecision): string {
  if (held) {
    if (decision.type === 'deny') return 'The call is refused.'
    return decision.scope === 'once' ? 'The call may leave, once.' : `The call may leave. ${exactLine(held.raise)}`
  }
  const tool = exactLine(request.tool)
  if (decision.type === 'deny') return `Denied ${tool}.`
  if (decision.scope === 'tool') return `Approved calls of ${tool} for this session.`
  return decision.scope === 'once' ? `Approved ${tool}.` : `Approved ${tool} for this session.`
}

export const acceptCommand: Command = {
  name: 'accept',
  group: 'set-up',
  summary: 'accept changes made outside Foreword that let a model do more',
  usage: ['accept [--json]', 'accept NAME [--yes] [--json]', 'accept --all [--yes] [--json]'],
  details:
    'A change that lets a model do more has no effect until you accept it, unless you made it with Foreword itself. Without a NAME, ' +
    'lists the changes that wait: what each permits, and the difference. An acceptance is valid for exactly what was shown. A ' +
    'change that lets a model do less takes effect at once and never waits.',
  words: { least: 0, most: 1 },
  options: {
    all: { summary: 'accept everything that waits' },
    yes: { summary: 'accept without asking' },
    json: { summary: 'print one waiting change per line, or {accepted, digest} for each accepted one' },
  },
  async run(call, io) {
    const [name] = call.words
    const accepts = name !== undefined || call.has('all')
    if (accepts) refuseTools(io, 'accept changes')
    if (name !== undefined && call.has('all')) throw usageFailure('--all accepts everything.', 'Leave out the NAME.')
    if (!accepts && call.has('yes')) {
      throw usageFailure('--yes requires a NAME or --all.', 'Show what waits with `foreword accept`.')
    }
    const purpose = accepts ? connectionPurpose(call, io) : 'read'
    return await withConnection(call.home, io, purpose, (connection) =>
      accepts ? acceptChanges(connection, name, call, io) : showChanges(connection, call, io),
    )
  },
}

function fetchWaiting(connection: GatewayConnection): Promise<readonly WaitingChange[]> {
  return requestList<WaitingChange>(connection, '/api/acceptance', 'waiting')
}

async function showChanges(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const waiting = await fetchWaiting(connection)
  printList(waiting, { empty: 'Nothing waits.', table: changeTexts }, call, io)
  if (waiting.length > 0 && !call.json) {
    note(io, '\nAccept one with `foreword accept NAME`, or everything with `foreword accept --all`.')
  }
  return 0
}

async function acceptChanges(
  connection: GatewayConnection,
  name: string | undefined,
  call: CommandCall,
  io: Io,
): Promise<number> {
  const waiting = await fetchWaiting(connection)
  const chosen = name === undefined ? waiting : [findChange(name, waiting)]
  if (chosen.length === 0) {
    note(io, 'Nothing waits.')
    return 0
  }
  if (!call.json) print(io, changeTexts(chosen, io))
  const question = chosen.length === 1 ? 'Accept it?' : `Accept all ${chosen.length}?`
  const hint = 'Accept what was shown with `--yes`.'
  if (!(await confirmAction(question, 'Nothing was accepted.', call, io, hint))) return 1
  for (const change of chosen) {
    const { digest } = change
    await requestJson(connection, '/api/acceptance', { method: 'POST', body: { name: change.name, digest } })
    const sentence = `Accepted ${exactLine(change.name)}. It takes effect at the next step.`
    printChange({ accepted: change.name, digest }, sentence, call, io)
  }
  return 0
}

function findChange(name: string, waiting: readonly WaitingChange[]): WaitingChange {
  if (waiting.length === 0) {
    throw new CommandFailure('not-found', `No change of ${name} waits.`, { hint: 'Nothing else waits either.' })
  }
  const hint = 'Show what waits with `foreword accept`.'
  return findByName(name, waiting, (change) => ({ id: change.name, name: change.name }), 'waiting change', hint)
}

function changeTexts(changes: readonly WaitingChange[], io: Io): string {
  return changes.map((change) => changeText(change, io)).join('\n\n')
}

function changeText({ name, words, difference }: WaitingChange, io: Io): string {
  const lines = exactLines(difference.trimEnd()).split('\n')
  return [
    applyStyle(io, 'bold', exactLine(name)),
    ...words.map((each) => `  ${exactLine(each)}`),
    '',
    ...lines.map((line) => `  ${diffLine(line, io)}`),
  ].join('\n')
}

function diffLine(line: string, io: Io): string {
  if (line.startsWith('+')) return applyStyle(io, 'green', line)
  return line.startsWith('-') ? applyStyle(io, 'red', line) : line
}
