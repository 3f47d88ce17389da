import { beginSession, newSessionReply } from '../../../runtime.ts'
import type { ChatCommand } from './command.ts'

export const newSession: ChatCommand = {
  name: 'new',
  summary: 'begin a new session, with the words behind it as its first message; the one before is kept',
  async run({ runtime, binding }) {
    await beginSession(runtime, binding)
    return newSessionReply
  },
}
