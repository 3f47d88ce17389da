import { newSessionReply } from '../../../runtime.ts'
import type { ChatCommand } from './command.ts'

/** A session in which nothing has happened yet is as good as a new one, also when the same command arrives twice. */
export const newSession: ChatCommand = {
  name: 'new',
  summary: 'begin a new session; the one before is kept',
  async run({ runtime, binding }) {
    const bound = await runtime.store.bound(binding)
    const row = bound === undefined ? undefined : await runtime.store.session(bound)
    if (row?.entries !== 1) await runtime.newSession({ binding })
    return newSessionReply
  },
}
