import { defined } from '../../../platform.ts'
import type { CommandCall, Connection, Io } from '../../../capability.ts'
import {
  ask,
  CommandFailure,
  connected,
  diffText,
  exactLine,
  exactLines,
  fullTimeText,
  note,
  pathTo,
  personAgrees,
  print,
  printJson,
  purposeOf,
  styled,
} from '../../../cli.ts'
import { diffShowsAll, type Proposal, type ProposalDecision, type ProposalState, type SubjectFile } from '../core.ts'

/** What models would like to write: what waits, or everything. */
export async function listProposals(call: CommandCall, io: Io): Promise<number> {
  const state = call.has('all') ? undefined : 'waiting'
  const proposals = await connected(call.home, io, 'read', (connection) => fetchProposals(connection, state))
  if (call.json) {
    for (const proposal of proposals) printJson(io, proposal)
    return 0
  }
  const now = new Date()
  if (proposals.length > 0) print(io, proposals.map((proposal) => proposalText(proposal, now, io)).join('\n\n'))
  else note(io, call.has('all') ? 'There are no proposals.' : 'No proposal waits for you.')
  if (proposals.some((proposal) => proposal.state.type === 'waiting')) {
    note(io, '`foreword subjects confirm PROPOSAL` writes one, `foreword subjects decline PROPOSAL` does not.')
  }
  return 0
}

/** Shows a proposal, asks, and decides about exactly what was shown. */
export async function decideProposal(decision: 'confirm' | 'decline', call: CommandCall, io: Io): Promise<number> {
  return await connected(call.home, io, purposeOf(call, io), async (connection) => {
    const proposal = await findProposal(connection, call.words[1]!, 'waiting')
    if (!call.json) print(io, proposalText(proposal, new Date(), io))
    const { id, digest, state } = proposal
    if (state.type !== 'waiting') throw decidedAlready(proposal)
    if (!(await personAgrees(decision === 'confirm' ? 'Write this?' : 'Decline this?', call, io))) {
      note(io, 'Nothing was decided: the proposal still waits.')
      return 1
    }
    const reason = decision === 'decline' ? call.text('reason') : undefined
    const decided = await sendDecision(connection, { id, digest }, decision, reason)
    if (call.json) printJson(io, decided)
    else note(io, decidedText(decided))
    return 0
  })
}

function decidedText({ id, file, state }: Proposal): string {
  if (state.type !== 'confirmed') return `${exactLine(id)} is declined. Nothing was written.`
  return `Added to ${exactLine(fileText(file))}. \`foreword subjects undo ${exactLine(id)}\` takes it back.`
}

function decidedAlready({ id, state }: Proposal): CommandFailure {
  return new CommandFailure('decided', `${id} is ${state.type} already: a proposal is decided once.`, {
    hint: '`foreword subjects proposals` lists those that wait.',
  })
}

/** Declines everything that waits now, after one question. What comes meanwhile waits on. */
export async function declineAll(call: CommandCall, io: Io): Promise<number> {
  return await connected(call.home, io, purposeOf(call, io), async (connection) => {
    const waiting = await fetchProposals(connection, 'waiting')
    if (waiting.length === 0) {
      if (!call.json) note(io, 'No proposal waits for you.')
      return 0
    }
    const now = new Date()
    if (!call.json) print(io, waiting.map((proposal) => proposalText(proposal, now, io)).join('\n\n'))
    if (!(await personAgrees(`Decline all ${waiting.length}?`, call, io))) {
      note(io, 'Nothing was decided: they still wait.')
      return 1
    }
    for (const proposal of waiting) {
      const declined = await sendDecision(connection, proposal, 'decline', call.text('reason'))
      if (call.json) printJson(io, declined)
    }
    if (!call.json) note(io, `Declined ${waiting.length}. Nothing was written.`)
    return 0
  })
}

/** Shows what was confirmed, asks, and takes it back. What people wrote meanwhile stays. */
export async function undoProposal(call: CommandCall, io: Io): Promise<number> {
  return await connected(call.home, io, purposeOf(call, io), async (connection) => {
    const proposal = await findProposal(connection, call.words[1]!, 'confirmed')
    if (!call.json) print(io, proposalText(proposal, new Date(), io))
    if (!(await personAgrees('Take this back?', call, io))) {
      note(io, 'Nothing was taken back.')
      return 1
    }
    const path = pathTo('/api/proposals/', proposal.id, '/undo')
    const undone = await ask<Proposal>(connection, path, { method: 'POST', body: { by: 'cli' } })
    if (call.json) printJson(io, undone)
    else note(io, `Taken out of ${exactLine(fileText(undone.file))}.`)
    return 0
  })
}

/** Decides about exactly what was shown; returns the proposal as it is then. */
function sendDecision(
  connection: Connection,
  { id, digest }: Pick<Proposal, 'id' | 'digest'>,
  decision: ProposalDecision['type'],
  reason: string | undefined,
): Promise<Proposal> {
  const body = { decision, digest, by: 'cli', ...defined({ reason }) }
  return ask<Proposal>(connection, pathTo('/api/proposals/', id, '/decision'), { method: 'POST', body })
}

/** Oldest first. */
async function fetchProposals(connection: Connection, state?: ProposalState['type']): Promise<readonly Proposal[]> {
  const query = state === undefined ? '' : `?state=${state}`
  return (await ask<{ readonly proposals: readonly Proposal[] }>(connection, `/api/proposals${query}`)).proposals
}

/** The one whose id begins so: among those in a state, or where there is none, among all. */
async function findProposal(connection: Connection, word: string, state: ProposalState['type']): Promise<Proposal> {
  const begun = (await fetchProposals(connection)).filter(({ id }) => id.startsWith(word))
  const exact = begun.find(({ id }) => id === word)
  if (exact !== undefined) return exact
  const inState = begun.filter((proposal) => proposal.state.type === state)
  const [found, ...others] = inState.length > 0 ? inState : begun
  if (found !== undefined && others.length === 0) return found
  if (found === undefined) {
    throw new CommandFailure('not-found', `there is no proposal ${word}.`, {
      hint: '`foreword subjects proposals --all` lists them.',
    })
  }
  const ids = [found, ...others].map(({ id }) => exactLine(id)).join(', ')
  throw new CommandFailure('ambiguous', `${word} begins more than one: ${ids}.`, { hint: 'Write more of the id.' })
}

/** A proposal as a person decides about it: what it changes, who asked for it, and the change. Nothing in it steers a terminal. */
function proposalText(proposal: Proposal, now: Date, io: Io): string {
  const line = (name: string, text: string): string => `${styled(io, 'dim', `  ${name.padEnd(10)}`)}${text}`
  const { id, time, file, category, state } = proposal
  return [
    styled(io, 'bold', exactLine(id)),
    line('adds to', exactLine(`${fileText(file)}${category === undefined ? '' : ` (${category})`}`)),
    line('asked by', exactLine(askedText(proposal))),
    line('asked', exactLine(fullTimeText(time, now))),
    ...(state.type === 'waiting' ? [] : [line('state', exactLine(stateText(state, now)))]),
    diffText(proposal.diff, io),
    ...(state.type !== 'waiting' || diffShowsAll(proposal)
      ? []
      : ['', line('adds', 'the difference is cut; all of it:'), exactLines(proposal.content)]),
  ].join('\n')
}

/** What a proposal changes, in words. */
function fileText(file: SubjectFile): string {
  return file.type === 'notes' ? `the notes of ${file.subject}` : `the taste ${file.name}`
}

function askedText({ by: { tool, turn, session, client } }: Proposal): string {
  const where = session === undefined ? '' : `${turn === undefined ? '' : ` in turn ${turn}`} of session ${session}`
  return `${tool}${where}${client === undefined ? '' : `, over MCP from ${client}`}`
}

function stateText(state: Exclude<ProposalState, { type: 'waiting' }>, now: Date): string {
  const reason = state.type === 'declined' && state.reason !== undefined ? `: ${state.reason}` : ''
  return `${state.type} through ${state.by}, ${fullTimeText(state.time, now)}${reason}`
}
