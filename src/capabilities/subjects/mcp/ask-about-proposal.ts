import type { InputRequiredResult } from '@modelcontextprotocol/server'
import type { McpCall } from '../../../capability.ts'
import { answeredQuestion, askPerson, type AskingCall } from '../../../server/mcp.ts'
import { type Proposal, type Proposals, SubjectError } from '../core.ts'
import { confirmedElsewhere, personsWord, proposalQuestion } from './proposal-question.ts'

/** What asking came to. `ask`: the client has to ask, and make the same call again with the answer. */
export type AskedProposal =
  | { readonly type: 'settled'; readonly proposal: Proposal; readonly warnings: readonly string[] }
  | { readonly type: 'ask'; readonly result: InputRequiredResult }
  | { readonly type: 'cancelled' }

/** Asks the person behind a client about a proposal that was made in this call. Only their answer decides. */
export async function askAboutProposal(
  proposals: Proposals,
  proposal: Proposal,
  asking: AskingCall,
  call: McpCall,
): Promise<AskedProposal> {
  if (call.person === undefined || proposal.state.type !== 'waiting') return { type: 'settled', proposal, warnings: [] }
  const form = proposalQuestion(proposal, call.client)
  if (form === undefined) return { type: 'settled', proposal, warnings: [confirmedElsewhere(proposal)] }
  const { id, digest } = proposal
  const progress = 'A person is asked to confirm the proposal.'
  const asked = await askPerson({ id, digest, form, progress }, asking, call)
  return asked.type === 'answer' ? settle(proposals, proposal, asked.answer) : asked
}

/** The later round of such a call. `undefined` where its seal belongs to another call, or the proposal has changed. */
export async function answeredProposal(
  proposals: Proposals,
  asking: AskingCall,
  call: McpCall,
): Promise<AskedProposal | undefined> {
  const answered = answeredQuestion(asking, call)
  if (answered === undefined) return undefined
  const proposal = await proposals.get(answered.id)
  if (proposal.digest !== answered.digest) return undefined
  if (answered.answer === undefined) return askAboutProposal(proposals, proposal, asking, call)
  return call.signal.aborted ? { type: 'cancelled' } : settle(proposals, proposal, answered.answer)
}

async function settle(proposals: Proposals, proposal: Proposal, answer: unknown): Promise<AskedProposal> {
  const word = personsWord(answer, proposal)
  if (word === 'later' || word === 'unread') {
    const warnings = word === 'unread' ? [confirmedElsewhere(proposal)] : []
    return { type: 'settled', proposal: await proposals.get(proposal.id), warnings }
  }
  try {
    const decided = await proposals.decide(proposal.id, { type: word, digest: proposal.digest, by: 'mcp' })
    return { type: 'settled', proposal: decided, warnings: [] }
  } catch (error) {
    if (!(error instanceof SubjectError)) throw error
    // Somebody else was quicker, or the file has changed: the proposal holds what became of it.
    return { type: 'settled', proposal: await proposals.get(proposal.id), warnings: [error.message] }
  }
}
