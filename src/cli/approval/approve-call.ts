import { defined } from '../../platform.ts'
import type { WaitingApproval } from '../../runtime.ts'
import type { ApprovalDecision, SessionRow } from '../../session.ts'
import { ask, pathTo } from '../answer.ts'
import type { CommandCall, Connection, Io } from '../../capability.ts'
import { connected } from '../connection.ts'
import { exactLine } from '../exact-text.ts'
import { usageFailure } from '../failure.ts'
import { followToEnd } from '../follow-to-end.ts'
import { note, print, printJson } from '../io.ts'
import { turnDisplay } from '../turn-display.ts'
import { turnDocument, turnExitCode } from '../turn-end.ts'
import { askPerson } from './ask-person.ts'
import { askingAlone, confirmed, personIsHere } from './asking.ts'
import { callText } from './call-text.ts'
import { decide, waitingApproval } from './waiting.ts'

/** Shows one waiting call, takes the decision about it, and sees to it that the turn goes on. */
export async function approveCall(id: string, call: CommandCall, io: Io): Promise<number> {
  const decides = call.has('yes') || call.has('deny') || (!call.json && personIsHere(io))
  return await connected(call.home, io, decides ? 'write' : 'read', async (connection) => {
    const waits = await waitingApproval(connection, id)
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
  if (!personIsHere(io)) {
    print(io, callText(waits.request, io))
    throw usageFailure('There is no terminal to ask on.', 'Write `--yes` to approve without asking, or `--deny`.')
  }
  if (scope === 'once') return await askOnTerminal(waits, io)
  print(io, callText(waits.request, io))
  return (await confirmed(io, 'Approve this very call for the whole session?')) ? { type: 'approve', scope } : undefined
}

async function askOnTerminal(waits: WaitingApproval, io: Io): Promise<ApprovalDecision | undefined> {
  const gone = new AbortController()
  return await askingAlone(io, () => gone.abort())((question) => askPerson(waits, io, question, gone.signal))
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
  return turnExitCode('foreword approve', waits, end, io)
}

function documentOf({ approval, session, turn }: WaitingApproval, decision: ApprovalDecision): object {
  return { decided: approval, decision, sessionId: session, turnId: turn }
}

function decidedText({ request }: WaitingApproval, decision: ApprovalDecision): string {
  const tool = exactLine(request.tool)
  if (decision.type === 'deny') return `${tool} is denied.`
  return decision.scope === 'once' ? `${tool} is approved.` : `${tool} is approved for this session.`
}
