import type { Pairings } from '../../capability.ts'
import { isPersonal } from './conversation.ts'

/** Who may talk to the agent. */
export interface Access {
  /** Whether what is said in a chat reaches the agent. */
  chat(chat: number): Promise<boolean>
  /** Whether somebody is known personally, and not only as one of a group. */
  person(id: number): Promise<boolean>
}

export interface AllowedByConfiguration {
  readonly allowedUsers: readonly number[]
  readonly allowedChats: readonly number[]
}

/** What the configuration names, and what was paired. Asked every time: a pairing that was removed counts no longer. */
export function createAccess(
  { allowedUsers, allowedChats }: AllowedByConfiguration,
  pairings: Pick<Pairings, 'find'>,
): Access {
  const paired = async (chat: number, kind: 'person' | 'group') =>
    (await pairings.find('telegram', String(chat)))?.kind === kind
  const person = async (id: number) => allowedUsers.includes(id) || (await paired(id, 'person'))
  return {
    person,
    chat: async (chat) =>
      isPersonal(chat) ? person(chat) : allowedChats.includes(chat) || (await paired(chat, 'group')),
  }
}
