import type { ChannelInbox } from '../../capability.ts'

/** A message that asks about a call. */
export interface PostedApproval {
  readonly approval: string
  readonly session: string
  readonly turn: string
  readonly chat: number
  readonly thread?: number
  readonly messageId: number
}

/** Which calls were asked about in which message, over restarts: none is asked about twice. */
export interface ApprovalNotes {
  find(approval: string): PostedApproval | undefined
  of(turn: string): readonly PostedApproval[]
  all(): readonly PostedApproval[]
  /** On disk when it resolves. */
  add(posted: PostedApproval): Promise<void>
  remove(approval: string): Promise<void>
}

/** They stand in the inbox of the channel, beside what came in: a question is something that is not handled yet. */
export function createApprovalNotes(
  inbox: ChannelInbox,
  waiting: Awaited<ReturnType<ChannelInbox['waiting']>>,
): ApprovalNotes {
  const notes = new Map<string, PostedApproval>()
  for (const { id, value } of waiting) if (isNote(id)) notes.set(id.slice(PREFIX.length), value as PostedApproval)
  return {
    find: (approval) => notes.get(approval),
    of: (turn) => [...notes.values()].filter((posted) => posted.turn === turn),
    all: () => [...notes.values()],
    async add(posted) {
      notes.set(posted.approval, posted)
      await inbox.accept(PREFIX + posted.approval, posted)
    },
    async remove(approval) {
      notes.delete(approval)
      await inbox.done(PREFIX + approval)
    },
  }
}

const PREFIX = 'approval/'

/** Whether something in the inbox is such a note, and not an update. */
export function isNote(id: string): boolean {
  return id.startsWith(PREFIX)
}
