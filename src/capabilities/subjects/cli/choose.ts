import { ask, exactLine, pathTo } from '../../../cli.ts'
import type { Conversation } from '../../../cli/conversation.ts'
import { sessionWith } from '../../../cli/session-setting.ts'
import { findSubject } from './find-subject.ts'

/** What a talk is about from its next turn on; `none` leaves its subject. Answers that in words. */
export async function chooseSubject(conversation: Conversation, word: string): Promise<string> {
  const { connection, session } = conversation
  if (word !== 'none') {
    const { id } = await findSubject(connection, word)
    conversation.session = await sessionWith(connection, session, { subject: id })
    return `This session is about ${exactLine(id)} from now on.`
  }
  if (session !== undefined) {
    await ask(connection, pathTo('/api/sessions/', session), { method: 'PATCH', body: { subject: null } })
  }
  return 'This session chooses no subject.'
}
