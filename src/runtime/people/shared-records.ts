import { join } from 'node:path'
import { type OfOwner, type PairedChat, type Pairings, type PersonRoom, RuntimeError } from '../../capability.ts'
import { openBlobs, type RecordVersion, readReferredContent, type SessionStore } from '../../session.ts'
import { homeAt } from '../home/home.ts'
import { isAmong, isThere, type People } from '../tokens/people.ts'

/** What the owner of a gateway shares with one person, as it is now. */
export interface SharedRecords extends OfOwner {
  /** The newest versions of those of a kind, without who else has them. */
  list(kind: string): Promise<readonly RecordVersion[]>
}

/** The home of the owner, and who the other people are. */
export interface SharingHome {
  readonly people: Pick<People, 'find'>
  readonly store: Pick<SessionStore, 'records' | 'files' | 'content' | 'bytes' | 'value'>
}

/** Reads what the owner shares with a person: a record says with whom it is shared, and its files go with it. `owner`: the home as it is open now. */
export function sharedRecords(
  home: string,
  owner: () => SharingHome,
  name: string,
  {
    room,
    inOwners,
  }: {
    readonly room: () => PersonRoom
    /** Does something to the pairings in the store of the owner, wherever that is open. */
    readonly inOwners: <Result>(work: (pairings: Pairings) => Promise<Result>) => Promise<Result>
  },
): SharedRecords {
  async function list(kind: string): Promise<readonly RecordVersion[]> {
    const { people, store } = owner()
    const person = people.find(name)
    if (!isThere(person)) return []
    return (await store.records(kind)).flatMap((record) => {
      const { sharedWith = [], ...value } = record.value as { readonly sharedWith?: readonly string[] }
      return isAmong(person, sharedWith) ? [{ ...record, value }] : []
    })
  }

  return {
    list,
    async files(of) {
      const records = await list(of.type)
      return records.some(({ id }) => id === of.id) ? owner().store.files({ owner: of }) : undefined
    },
    bytes: ({ hash }) => openBlobs(join(homeAt(home).data, 'files'), owner().store.bytes).open(hash),
    async chats() {
      const { people, store } = owner()
      const person = people.find(name)
      // In a chat calls of tools are decided about.
      if (!isThere(person) || person.role !== 'member') return []
      const chats = (await store.records('pairing')).map(({ value }) => value as PairedChat)
      return chats.filter(({ home: of }) => of === name)
    },
    async newCode(channel) {
      const person = owner().people.find(name)
      if (!isThere(person) || person.role !== 'member') throw noChatForGuests(name)
      return inOwners((pairings) => pairings.newCode(channel, name))
    },
    unpair: (channel, chat) => inOwners((pairings) => pairings.remove(channel, chat, name)),
    value: (key) => owner().store.value(key),
    room,
    async text({ state }) {
      if (state.type !== 'ready' || !('content' in state.reading)) return undefined
      return readReferredContent(owner().store, state.reading.content)
    },
  }
}

/** In a chat, calls of tools are decided about. */
export function noChatForGuests(name: string): RuntimeError {
  const message = `${name} is a guest: in a chat calls of tools are decided about, which only members may.`
  return new RuntimeError('invalid-input', message, { person: name })
}
