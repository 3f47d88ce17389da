import type { ElicitRequestFormParams, InputRequiredResult } from '@modelcontextprotocol/server'
import type { McpCall } from '../../../capability.ts'
import { elicitedAnswer, type McpToolRequest, elicitAnswer } from '../../../server/mcp.ts'
import { changedFile } from '../core/subject-files.ts'
import { diffShowsAll, type Proposal, type Proposals, SubjectError } from '../core/subjects.ts'
import { exactLine, exactLines } from '../../../context.ts'

/** What asking came to. `ask`: the client has to ask, and make the same call again with the answer. */
export type AskedProposal =
  | { readonly type: 'settled'; readonly proposal: Proposal; readonly warnings: readonly string[] }
  | { readonly type: 'ask'; readonly result: InputRequiredResult }
  | { readonly type: 'cancelled' }

/** Asks the person behind a client about a proposal that was made in this call. Only their answer decides. */
export async function askAboutProposal(
  proposals: Proposals,
  proposal: Proposal,
  asking: McpToolRequest,
  call: McpCall,
): Promise<AskedProposal> {
  if (call.person === undefined || proposal.state.type !== 'waiting') return { type: 'settled', proposal, warnings: [] }
  const form = proposalQuestion(proposal, call.client)
  if (form === undefined) return { type: 'settled', proposal, warnings: [confirmedElsewhere(proposal)] }
  const { id, digest } = proposal
  const progress = 'A person is asked to confirm the proposal.'
  const asked = await elicitAnswer({ id, digest, form, progress }, asking, call)
  return asked.type === 'answer' ? settle(proposals, proposal, asked.answer) : asked
}

/** The later round of such a call. `undefined` where its seal belongs to another call, or the proposal has changed. */
export async function answeredProposal(
  proposals: Proposals,
  asking: McpToolRequest,
  call: McpCall,
): Promise<AskedProposal | undefined> {
  const answered = await elicitedAnswer(asking, call)
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
    // Somebody else decided first, or the file has changed: the proposal has the result.
    return { type: 'settled', proposal: await proposals.get(proposal.id), warnings: [error.message] }
  }
}

/** The answer of a person about a proposal in a client. `unread`: a yes without having seen all of it. */
type PersonsWord = 'confirm' | 'decline' | 'later' | 'unread'

/**
 * The form that a client shows. A message is one line, as clients hide all but its beginning; the difference is the
 * description of the field, which some clients show whole and some cut after a row. Where the message alone does not
 * tell everything, a word ends the description, and a yes counts with that word alone. `undefined` where the
 * difference is longer than any client shows.
 */
function proposalQuestion(proposal: Proposal, client: string | undefined): ElicitRequestFormParams | undefined {
  const diff = exactLines(proposal.diff.trimEnd())
  if (!diffShowsAll(proposal) || rowCount(diff) > MOST_ROWS) return undefined
  const word = confirmationWord(proposal)
  return {
    message: questionMessage(proposal, client),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          description: word === undefined ? diff : `${diff}\n\nThe word is: ${word}`,
          enum: ['confirm', 'drop', 'later'],
          default: 'later',
        },
        ...(word !== undefined && {
          word: { type: 'string', title: 'Word', description: 'To confirm: the word at the end of the difference.' },
        }),
      },
      required: ['decision'],
    },
  }
}

/** Why a person could not confirm in a client that asks, and where they do it instead. */
function confirmedElsewhere({ id }: Proposal): string {
  return (
    'Not all of the difference can be seen in this program, so it was not confirmed. A person reads and confirms it with ' +
    `\`foreword subjects confirm ${id}\`, or over HTTP.`
  )
}

/**
 * Only a choice in the form decides: programs that ask nobody answer `action: "decline"`. All else leaves it waiting.
 */
function personsWord(answer: unknown, proposal: Proposal): PersonsWord {
  const { action, content } = (answer ?? {}) as { readonly action?: unknown; readonly content?: unknown }
  if (action !== 'accept') return 'later'
  const { decision, word } = (content ?? {}) as { readonly decision?: unknown; readonly word?: unknown }
  if (decision === 'drop') return 'decline'
  if (decision !== 'confirm') return 'later'
  const expected = confirmationWord(proposal)
  const given = typeof word === 'string' ? word.trim().toLowerCase() : undefined
  return expected === undefined || given === expected ? 'confirm' : 'unread'
}

/** Rows of a difference on a terminal: so many were seen in clients, and nothing of them was cut. */
const MOST_ROWS = 40
const COLUMNS = 70

/** Columns of the file and what is added to it, in a message: with the words around them, two rows and a half. */
const MESSAGE = 130

/** The longest name of a client in a message, characters. */
const CLIENT = 40

function questionMessage(proposal: Proposal, client: string | undefined): string {
  const { file, content, category } = proposal
  const name = `${changedFile(file)}${category === undefined ? '' : ` (${category})`}`
  const who = `Proposed by ${client === undefined ? 'a program' : exactLine(client.slice(0, CLIENT))}.`
  if (showsAll(proposal)) return `Add ${quoted(content)} to ${name}? ${who} Nothing is written unless you confirm.`
  const lines = content.split(/\r\n|\n|\r/).length
  return (
    `Add ${lines === 1 ? 'this line' : `these ${lines} lines`} to ${name}? ${who} ` +
    'To confirm, type the word at the end. If none is shown, this is cut: run `foreword subjects proposals`.'
  )
}

/** Whether the message alone shows the whole addition: one line that is not too long. */
function showsAll({ file, content }: Proposal): boolean {
  return !/[\r\n]/.test(content) && columnCount(changedFile(file)) + columnCount(quoted(content)) <= MESSAGE
}

/** In quotes that nothing in the text can end. */
function quoted(text: string): string {
  return exactLine(JSON.stringify(text))
}

/** What somebody who has read to the end knows: four letters that belong to exactly this proposal. */
function confirmationWord(proposal: Proposal): string | undefined {
  if (showsAll(proposal)) return undefined
  return Array.from(proposal.digest.slice(-4), (digit) => LETTERS[Number.parseInt(digit, 16)] ?? 'x').join('')
}

/** One for each hexadecimal digit, none that is easily taken for another. */
const LETTERS = 'bcdfghkmnprstvwz'

function rowCount(text: string): number {
  return text.split('\n').reduce((rows, line) => rows + Math.max(1, Math.ceil(columnCount(line) / COLUMNS)), 0)
}

/** Every tab as wide as it can be, and every character of other scripts as wide as two. */
function columnCount(line: string): number {
  return Array.from(line).reduce((columns, character) => {
    if (character === '\t') return columns + 8
    return columns + (character.codePointAt(0)! < 0x300 ? 1 : 2)
  }, 0)
}
