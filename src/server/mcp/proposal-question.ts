import type { ElicitRequestFormParams } from '@modelcontextprotocol/server'
import { exactLine, exactLines } from '../../context.ts'
import { diffShowsAll, type Proposal, type SubjectFile } from '../../subject.ts'

/** What a person says of a proposal, through the program that made it. */
export type PersonsWord = 'confirm' | 'decline' | 'later'

/** The longest diff that is shown in a question, characters. Who cannot see all of it should not confirm it there. */
const SHOWN = 8_000

/** The form that a client shows: who, where, and the whole diff. `undefined` where not all of it can be shown. */
export function proposalQuestion(proposal: Proposal, client: string | undefined): ElicitRequestFormParams | undefined {
  if (proposal.diff.length > SHOWN || !diffShowsAll(proposal)) return undefined
  const who = client === undefined ? 'A program' : exactLine(client)
  const kind = proposal.category === undefined ? '' : ` (${proposal.category})`
  return {
    message:
      `${who} would like to add to ${placeOf(proposal.file)}${kind}:\n\n${exactLines(proposal.diff.trimEnd())}\n\n` +
      'Nothing is written unless you confirm it.',
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          description: 'confirm writes it, decline drops it, later leaves it waiting.',
          enum: ['confirm', 'decline', 'later'],
          default: 'later',
        },
      },
      required: ['decision'],
    },
  }
}

/** Everything that is not plainly a yes or a no leaves the proposal waiting. `answer` comes from outside. */
export function personsWord(answer: unknown): PersonsWord {
  const { action, content } = (answer ?? {}) as { readonly action?: unknown; readonly content?: unknown }
  if (action === 'decline') return 'decline'
  if (action !== 'accept') return 'later'
  const { decision } = (content ?? {}) as { readonly decision?: unknown }
  return decision === 'confirm' || decision === 'decline' ? decision : 'later'
}

function placeOf(file: SubjectFile): string {
  return file.type === 'notes' ? `the notes of ${file.subject}` : `the taste ${file.name}`
}
