import { inputRequired, type InputRequiredResult } from '@modelcontextprotocol/server'
import { type Proposal, type Proposals, SubjectError } from '../../capabilities/subjects/core.ts'
import { callDigest } from '../../tool.ts'
import type { McpCall } from './catalogue.ts'
import {
  confirmedElsewhere,
  personsWord,
  type PersonsWord,
  proposalQuestion,
} from '../../capabilities/subjects/mcp/proposal-question.ts'

/** What asking came to. `ask`: the client has to ask, and make the same call again with the answer. */
export type AskedPerson =
  | { readonly type: 'settled'; readonly proposal: Proposal; readonly warnings: readonly string[] }
  | { readonly type: 'ask'; readonly result: InputRequiredResult }
  | { readonly type: 'cancelled' }

/** A call as its later rounds have to be made: by the same tool with the same input. */
export interface AskingCall {
  readonly tool: string
  readonly input: unknown
}

/** How long a person may take, ms. The proposal waits on afterwards. */
const PATIENCE = 600_000
const QUESTION = 'decision'

/** Asks the person behind a client about a proposal that was made in this call. Only what they say decides. */
export async function askPerson(
  proposals: Proposals,
  proposal: Proposal,
  asking: AskingCall,
  call: McpCall,
): Promise<AskedPerson> {
  if (call.person === undefined || proposal.state.type !== 'waiting') return { type: 'settled', proposal, warnings: [] }
  const question = proposalQuestion(proposal, call.client)
  if (question === undefined) return { type: 'settled', proposal, warnings: [confirmedElsewhere(proposal)] }
  if (call.person === 'round') {
    const { id, digest } = proposal
    const requestState = await call.seal({ ...asking, input: callDigest(asking), proposal: id, digest })
    return {
      type: 'ask',
      result: inputRequired({ inputRequests: { [QUESTION]: inputRequired.elicit(question) }, requestState }),
    }
  }
  await call.progress(1, 2, 'A person is asked to confirm the proposal.')
  const word = await replyOf(call, question, proposal)
  return call.signal.aborted ? { type: 'cancelled' } : settle(proposals, proposal, word)
}

/**
 * The later round of such a call. The id and the digest were sealed here, so they are the ones of what was shown; the
 * answer alone comes from outside. `undefined` where the seal belongs to another call.
 */
export async function answeredPerson(
  proposals: Proposals,
  asking: AskingCall,
  call: McpCall,
): Promise<AskedPerson | undefined> {
  const sealed = call.sealed() as Partial<Record<'tool' | 'input' | 'proposal' | 'digest', unknown>> | null
  const { tool, input, proposal: id, digest } = sealed ?? {}
  if (tool !== asking.tool || input !== callDigest(asking)) return undefined
  if (typeof id !== 'string' || typeof digest !== 'string') return undefined
  const proposal = await proposals.get(id)
  if (proposal.digest !== digest) return undefined
  const answer = call.context.mcpReq.inputResponses?.[QUESTION]
  if (answer === undefined) return askPerson(proposals, proposal, asking, call)
  if (call.signal.aborted) return { type: 'cancelled' }
  return settle(proposals, proposal, personsWord(answer, proposal))
}

async function replyOf(call: McpCall, question: object, proposal: Proposal): Promise<PersonsWord> {
  try {
    const answer = await call.context.mcpReq.send(
      { method: 'elicitation/create', params: { ...question } },
      { timeout: PATIENCE, signal: call.signal },
    )
    return personsWord(answer, proposal)
  } catch {
    // Nobody answered, or the client cannot ask after all: the proposal waits.
    return 'later'
  }
}

async function settle(proposals: Proposals, proposal: Proposal, word: PersonsWord): Promise<AskedPerson> {
  if (word === 'later' || word === 'unread') {
    const warnings = word === 'unread' ? [confirmedElsewhere(proposal)] : []
    return { type: 'settled', proposal: await proposals.get(proposal.id), warnings }
  }
  try {
    const decided = await proposals.decide(proposal.id, { type: word, digest: proposal.digest, by: 'mcp' })
    return { type: 'settled', proposal: decided, warnings: [] }
  } catch (error) {
    if (!(error instanceof SubjectError)) throw error
    // Somebody else was quicker, or the file is not what it was: the proposal says how things stand.
    return { type: 'settled', proposal: await proposals.get(proposal.id), warnings: [error.message] }
  }
}
