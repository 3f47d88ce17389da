import { RuntimeError } from '../../capability.ts'
import { messageText } from '../../context.ts'
import type { LogStore } from '../../session.ts'

interface EditedFrom {
  readonly session: string
  readonly turn: string
  /** `seq` of the entry whose words were read. Absent: whatever the message says now. */
  readonly base: number | undefined
}

/** Rejects with `changed`, and with the words of the message as they are now, where it was edited since `base`. */
export async function assertUnedited(store: LogStore, { session, turn, base }: EditedFrom): Promise<void> {
  if (base === undefined) return
  const newest = (await store.entries(session, { turn, types: ['input', 'edit'] })).at(-1)
  if (newest === undefined || newest.seq === base) return
  if (newest.type !== 'input' && newest.type !== 'edit') return
  const { seq, message, attachments = [] } = newest
  throw new RuntimeError(
    'changed',
    'The message was edited elsewhere since you read it.',
    { session, turn, base: seq, text: messageText(message), attachments: attachments.map(({ file }) => file) },
    { hint: 'Compare both. To put yours in its place, send it again with this `base`.' },
  )
}

export function begunAlready(session: string, turn: string): RuntimeError {
  const hint = 'Send what you wrote as the next message.'
  const message = `The message of ${turn} does not wait any more: it is being answered.`
  return new RuntimeError('changed', message, { session, turn }, { hint })
}
