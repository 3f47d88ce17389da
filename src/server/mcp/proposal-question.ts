import type { ElicitRequestFormParams } from '@modelcontextprotocol/server'
import type { Proposal, SubjectFile } from '../../subject.ts'

/** What a person says of a proposal, through the program that made it. */
export type PersonsWord = 'confirm' | 'decline' | 'later'

/** The longest diff that is shown in a question, characters. Who cannot see all of it should not confirm it there. */
const SHOWN = 8_000

/** The form that a client shows: who, where, and the whole diff. `undefined` where not all of it can be shown. */
export function proposalQuestion(proposal: Proposal, client: string | undefined): ElicitRequestFormParams | undefined {
  if (proposal.diff.length > SHOWN || !showsAll(proposal)) return undefined
  const who = client === undefined ? 'A program' : harmless(client)
  const kind = proposal.category === undefined ? '' : ` (${proposal.category})`
  return {
    message:
      `${who} would like to add to ${placeOf(proposal.file)}${kind}:\n\n${harmless(proposal.diff).trimEnd()}\n\n` +
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

/** A diff of a great change says only how great it is. */
function showsAll({ diff, content }: Proposal): boolean {
  const shown = new Set(diff.split(/\r?\n/))
  return content.split(/\r\n|\n|\r/).every((line) => shown.has(`+${line}`))
}

function placeOf(file: SubjectFile): string {
  return file.type === 'notes' ? `the notes of ${file.subject}` : `the taste ${file.name}`
}

/** What a terminal would obey, or what turns the reading direction, is shown as a code: a diff must look as it is. */
function harmless(text: string): string {
  return text.replaceAll(STEERING, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

// oxlint-disable-next-line no-control-regex
const STEERING = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g
