import { diffShowsAll, type Proposal, type ProposalState, type SubjectFile } from '../core.ts'
import { diffText, exactLine, exactLines, fullTimeText, styled } from '../../../cli.ts'
import type { Io } from '../../../capability.ts'

/** A proposal as a person decides about it: what it changes, who asked for it, and the change. Nothing in it steers a terminal. */
export function proposalText(proposal: Proposal, now: Date, io: Io): string {
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
export function fileText(file: SubjectFile): string {
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
