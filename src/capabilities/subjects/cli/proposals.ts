import { defined } from '../../../platform.ts'
import type { CommandCall, GatewayConnection, Io } from '../../../capability.ts'
import {
  requestJson,
  CommandFailure,
  withConnection,
  diffText,
  fullTimeText,
  note,
  apiPath,
  confirmAction,
  print,
  printJson,
  connectionPurpose,
  applyStyle,
  requestList,
  printList,
  printChange,
} from '../../../cli.ts'
import { exactLine, exactLines } from '../../../context.ts'
import {
  diffShowsAll,
  type Proposal,
  type ProposalDecision,
  type ProposalState,
  type SubjectFile,
} from '../core/subjects.ts'

const NONE_WAITING = 'No proposals are waiting for you.'

export async function listProposals(call: CommandCall, io: Io): Promise<number> {
  const state = call.has('all') ? undefined : 'waiting'
  const proposals = await withConnection(call.home, io, 'read', (connection) => fetchProposals(connection, state))
  const empty = call.has('all') ? 'No proposals yet.' : NONE_WAITING
  printList(proposals, { empty, table: () => proposalTexts(proposals, io) }, call, io)
  if (!call.json && proposals.some(({ state: { type } }) => type === 'waiting')) {
    note(
      io,
      'Confirm one with `foreword subjects confirm PROPOSAL`, or decline it with `foreword subjects decline PROPOSAL`.',
    )
  }
  return 0
}

function proposalTexts(proposals: readonly Proposal[], io: Io): string {
  const now = new Date()
  return proposals.map((proposal) => proposalText(proposal, now, io)).join('\n\n')
}

/** Decides on exactly what was shown. */
export async function decideProposal(decision: 'confirm' | 'decline', call: CommandCall, io: Io): Promise<number> {
  return await withConnection(call.home, io, connectionPurpose(call, io), async (connection) => {
    const proposal = await findProposal(connection, call.words[1]!, 'waiting')
    if (!call.json) print(io, proposalTexts([proposal], io))
    const { id, state } = proposal
    if (state.type !== 'waiting') {
      throw new CommandFailure('decided', `${id} is already ${state.type}. A proposal is decided once.`, {
        hint: 'List the waiting ones with `foreword subjects proposals`.',
      })
    }
    const question = decision === 'confirm' ? 'Write this?' : 'Decline this?'
    const unchanged = 'Nothing was decided. The proposal is still waiting.'
    if (!(await confirmAction(question, unchanged, call, io))) return 1
    const reason = decision === 'decline' ? call.text('reason') : undefined
    const decided = await sendDecision(connection, proposal, decision, reason)
    return printChange(decided, decidedText(decided), call, io)
  })
}

function decidedText({ id, file, state }: Proposal): string {
  if (state.type !== 'confirmed') return `Declined ${exactLine(id)}. Nothing was written.`
  return `Added to ${exactLine(fileText(file))}. Undo it with \`foreword subjects undo ${exactLine(id)}\`.`
}

/** Later ones keep waiting. */
export async function declineAll(call: CommandCall, io: Io): Promise<number> {
  return await withConnection(call.home, io, connectionPurpose(call, io), async (connection) => {
    const waiting = await fetchProposals(connection, 'waiting')
    if (waiting.length === 0) {
      if (!call.json) note(io, NONE_WAITING)
      return 0
    }
    if (!call.json) print(io, proposalTexts(waiting, io))
    const unchanged = 'Nothing was decided. They are still waiting.'
    if (!(await confirmAction(`Decline all ${waiting.length}?`, unchanged, call, io))) return 1
    for (const proposal of waiting) {
      const declined = await sendDecision(connection, proposal, 'decline', call.text('reason'))
      if (call.json) printJson(io, declined)
    }
    if (!call.json) note(io, `Declined ${waiting.length}. Nothing was written.`)
    return 0
  })
}

/** Edits that people made since stay. */
export async function undoProposal(call: CommandCall, io: Io): Promise<number> {
  return await withConnection(call.home, io, connectionPurpose(call, io), async (connection) => {
    const proposal = await findProposal(connection, call.words[1]!, 'confirmed')
    if (!call.json) print(io, proposalTexts([proposal], io))
    if (!(await confirmAction('Undo this?', 'Nothing was undone.', call, io))) return 1
    const path = apiPath('/api/proposals/', proposal.id, '/undo')
    const undone = await requestJson<Proposal>(connection, path, { method: 'POST', body: { by: 'cli' } })
    return printChange(undone, `Removed from ${exactLine(fileText(undone.file))}.`, call, io)
  })
}

function sendDecision(
  connection: GatewayConnection,
  { id, digest }: Pick<Proposal, 'id' | 'digest'>,
  decision: ProposalDecision['type'],
  reason: string | undefined,
): Promise<Proposal> {
  const body = { decision, digest, by: 'cli', ...defined({ reason }) }
  return requestJson<Proposal>(connection, apiPath('/api/proposals/', id, '/decision'), { method: 'POST', body })
}

/** Oldest first. */
async function fetchProposals(
  connection: GatewayConnection,
  state?: ProposalState['type'],
): Promise<readonly Proposal[]> {
  const query = state === undefined ? '' : `?state=${state}`
  return await requestList<Proposal>(connection, `/api/proposals${query}`, 'proposals')
}

/** The proposal whose id begins with `word`: among those in `state`, or where there is none, among all. */
async function findProposal(
  connection: GatewayConnection,
  word: string,
  state: ProposalState['type'],
): Promise<Proposal> {
  const begun = (await fetchProposals(connection)).filter(({ id }) => id.startsWith(word))
  const exact = begun.find(({ id }) => id === word)
  if (exact !== undefined) return exact
  const inState = begun.filter((proposal) => proposal.state.type === state)
  const [found, ...others] = inState.length > 0 ? inState : begun
  if (found !== undefined && others.length === 0) return found
  if (found === undefined) {
    throw new CommandFailure('not-found', `There is no proposal ${word}.`, {
      hint: 'List them with `foreword subjects proposals --all`.',
    })
  }
  const ids = [found, ...others].map(({ id }) => exactLine(id)).join(', ')
  throw new CommandFailure('ambiguous', `${word} begins more than one: ${ids}.`, { hint: 'Write more of the id.' })
}

/** Contains no control characters of a terminal. */
function proposalText(proposal: Proposal, now: Date, io: Io): string {
  const line = (name: string, text: string): string => `${applyStyle(io, 'dim', `  ${name.padEnd(10)}`)}${text}`
  const { id, time, file, category, state } = proposal
  return [
    applyStyle(io, 'bold', exactLine(id)),
    line('adds to', exactLine(`${fileText(file)}${category === undefined ? '' : ` (${category})`}`)),
    line('asked by', exactLine(sourceText(proposal))),
    line('asked', exactLine(fullTimeText(time, now))),
    ...(state.type === 'waiting' ? [] : [line('state', exactLine(stateText(state, now)))]),
    diffText(proposal.diff, io),
    ...(state.type !== 'waiting' || diffShowsAll(proposal)
      ? []
      : ['', line('adds', 'the diff above is shortened; the whole addition:'), exactLines(proposal.content)]),
  ].join('\n')
}

function fileText(file: SubjectFile): string {
  return file.type === 'notes' ? `the notes of ${file.subject}` : `the taste ${file.name}`
}

function sourceText({ by: { tool, turn, session, client } }: Proposal): string {
  const where = session === undefined ? '' : `${turn === undefined ? '' : ` in turn ${turn}`} of session ${session}`
  return `${tool}${where}${client === undefined ? '' : `, over MCP from ${client}`}`
}

function stateText(state: Exclude<ProposalState, { type: 'waiting' }>, now: Date): string {
  const reason = state.type === 'declined' && state.reason !== undefined ? `: ${state.reason}` : ''
  return `${state.type} over ${state.by}, ${fullTimeText(state.time, now)}${reason}`
}
