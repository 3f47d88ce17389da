import { argvText, exactLine } from '../../context.ts'
import type { Command, CommandCall, Connection, Io } from '../../capability.ts'
import { defined } from '../../platform.ts'
import type { WaitingApproval } from '../../runtime.ts'
import type { ApprovalDecision, SessionRow } from '../../session.ts'
import { ask, pathTo } from '../answer.ts'
import { standaloneQuestioner, confirm, isInteractive } from '../approval/asking.ts'
import { callText } from '../approval/call-text.ts'
import { decide, findApproval, fetchApprovals } from '../approval/waiting.ts'
import { askForDecision } from '../approval/watch.ts'
import { connected } from '../connection.ts'
import { refuseTools, usageFailure } from '../failure.ts'
import { followToEnd, turnDocument, reportTurnEnd } from '../follow-to-end.ts'
import { lineLimit, note, print, printJson, width } from '../io.ts'
import { fittedTable, oneLine } from '../table.ts'
import { timeText } from '../time-text.ts'
import { turnDisplay } from '../turn-display.ts'

export const approveCommand: Command = {
  name: 'approve',
  summary: 'decide about calls that wait for you',
  usage: [
    'approve [--json]',
    'approve ID [--for-session] [--yes] [--follow] [--json]',
    'approve ID --deny [--reason TEXT] [--follow] [--json]',
  ],
  details:
    'Without an ID it lists what waits. With one, or as much of it as is unique, it shows the tool, what exactly would ' +
    'run, the folder and what would change, and asks. An approval holds for exactly what was shown. The turn then goes on: in ' +
    'the running gateway, or where there is none in this very process, which shows the answer and ends with exit code 3 where ' +
    'the turn waits again.',
  words: { least: 0, most: 1 },
  options: {
    'for-session': { summary: 'the very same call needs no second question in this session' },
    deny: { summary: 'do not let it run' },
    reason: { value: 'TEXT', summary: 'why not; the model reads it' },
    yes: { summary: 'approve without asking' },
    follow: { summary: 'show how the turn goes on in the running gateway, too' },
    json: { summary: 'print one waiting call per line, or {decided, decision, …} of the one that was decided' },
  },
  async run(call, io) {
    refuseTools(io, 'approve')
    checkOptions(call)
    const [id] = call.words
    return id === undefined || id === 'list' ? await listWaiting(call, io) : await approveCall(id, call, io)
  },
}

function checkOptions(call: CommandCall): void {
  const [id] = call.words
  const deciding = ['for-session', 'deny', 'reason', 'yes', 'follow'].find((option) => call.has(option))
  if (deciding !== undefined && (id === undefined || id === 'list')) {
    throw usageFailure(`--${deciding} needs the ID of a call.`, '`foreword approve` lists what waits.')
  }
  if (call.has('reason') && !call.has('deny')) {
    throw usageFailure('--reason goes with --deny.', 'Write `foreword approve ID --deny --reason TEXT`.')
  }
  if (call.has('deny') && (call.has('yes') || call.has('for-session'))) {
    throw usageFailure('--deny goes without --yes and --for-session.', 'Decide on one of them.')
  }
}

/** One waiting call a line. */
async function listWaiting(call: CommandCall, io: Io): Promise<number> {
  const waiting = await connected(call.home, io, 'read', fetchApprovals)
  if (call.json) for (const waits of waiting) printJson(io, waits)
  else if (waiting.length === 0) note(io, 'Nothing waits for you.')
  else print(io, waitingTable(waiting, io))
  return 0
}

function waitingTable(waiting: readonly WaitingApproval[], io: Io): string {
  const head = ['id', 'session', 'since', 'tool', 'call']
  const now = new Date()
  const rows = waiting.map((waits) => [
    exactLine(waits.approval),
    exactLine(waits.session),
    exactLine(timeText(waits.time, now)),
    exactLine(waits.request.tool),
    oneLine(shortCall(waits), Math.max(20, width(io) - 40)),
  ])
  return fittedTable([head, ...rows], { columns: lineLimit(io), spare: [1, 2] })
}

function shortCall({ request: { argv, command, input } }: WaitingApproval): string {
  if (argv !== undefined) return argvText(argv)
  return exactLine(command ?? JSON.stringify(input) ?? '')
}

/** Shows one waiting call, takes the decision about it, and sees to it that the turn goes on. */
async function approveCall(id: string, call: CommandCall, io: Io): Promise<number> {
  const decides = call.has('yes') || call.has('deny') || (!call.json && isInteractive(io))
  return await connected(call.home, io, decides ? 'write' : 'read', async (connection) => {
    const waits = await findApproval(connection, id)
    const decision = await decisionOf(waits, call, io)
    if (decision === undefined) {
      note(io, 'Nothing was decided: the call still waits.')
      return 1
    }
    // What the log held before the decision is known; the turn is followed from here on.
    const { entries } = await ask<SessionRow>(connection, pathTo('/api/sessions/', waits.session))
    await decide(connection, waits, decision)
    if (!call.json) note(io, decidedText(waits, decision))
    if (connection.inProcess || call.has('follow')) return await goOn(connection, waits, decision, entries, call, io)
    if (call.json) printJson(io, documentOf(waits, decision))
    else note(io, `The turn goes on; \`foreword sessions show ${exactLine(waits.session)}\` shows the answer.`)
    return 0
  })
}

async function decisionOf(waits: WaitingApproval, call: CommandCall, io: Io): Promise<ApprovalDecision | undefined> {
  const reason = call.text('reason')
  if (call.has('deny')) return { type: 'deny', ...defined({ reason }) }
  const scope = call.has('for-session') ? 'session' : 'once'
  if (call.has('yes')) {
    if (!call.json) print(io, callText(waits.request, io))
    return { type: 'approve', scope }
  }
  if (call.json) throw usageFailure('With --json no question is asked.', 'Write `--yes` to approve, or `--deny`.')
  if (!isInteractive(io)) {
    print(io, callText(waits.request, io))
    throw usageFailure('There is no terminal to ask on.', 'Write `--yes` to approve without asking, or `--deny`.')
  }
  if (scope === 'once') return await askOnTerminal(waits, io)
  print(io, callText(waits.request, io))
  return (await confirm(io, 'Approve this very call for the whole session?')) ? { type: 'approve', scope } : undefined
}

async function askOnTerminal(waits: WaitingApproval, io: Io): Promise<ApprovalDecision | undefined> {
  const gone = new AbortController()
  return await standaloneQuestioner(io, () => gone.abort())((question) =>
    askForDecision(waits, io, question, gone.signal),
  )
}

/** The rest of the turn, to its end or to its next question. */
async function goOn(
  connection: Connection,
  waits: WaitingApproval,
  decision: ApprovalDecision,
  known: number,
  call: CommandCall,
  io: Io,
): Promise<number> {
  const display = call.json ? undefined : turnDisplay(io, { details: io.stdout.isTTY === true })
  const end = await followToEnd(connection, waits, io, { display, asks: !call.json, after: String(known) })
  if (call.json) printJson(io, { ...documentOf(waits, decision), ...(await turnDocument(connection, waits, end)) })
  return reportTurnEnd('foreword approve', waits, end, io)
}

function documentOf({ approval, session, turn }: WaitingApproval, decision: ApprovalDecision): object {
  return { decided: approval, decision, sessionId: session, turnId: turn }
}

function decidedText({ request }: WaitingApproval, decision: ApprovalDecision): string {
  const tool = exactLine(request.tool)
  if (decision.type === 'deny') return `${tool} is denied.`
  return decision.scope === 'once' ? `${tool} is approved.` : `${tool} is approved for this session.`
}
