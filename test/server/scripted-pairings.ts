import { type PairedChat, type PairingCode, type Pairings } from '../../src/runtime.ts'

/** Pairings in memory. Codes are `CODE-1`, `CODE-2` …, and hold for ever. */
export function scriptedPairings(time: string): Pairings {
  const chats: PairedChat[] = []
  const codes = new Map<string, PairingCode>()
  let count = 0
  const at = (channel: string, chat: string): number =>
    chats.findIndex((each) => each.channel === channel && each.chat === chat)
  return {
    async newCode(channel) {
      const code = { channel, code: `CODE-${++count}`, expires: time }
      codes.set(channel, code)
      return code
    },
    async redeem(code, chat) {
      if (codes.get(chat.channel)?.code !== code) return false
      codes.delete(chat.channel)
      chats.push({ ...chat, time })
      return true
    },
    find: async (channel, chat) => chats[at(channel, chat)],
    list: async (channel) => chats.filter((each) => channel === undefined || each.channel === channel),
    async remove(channel, chat) {
      const index = at(channel, chat)
      if (index >= 0) chats.splice(index, 1)
      return index >= 0
    },
    async move(channel, chat, to) {
      const index = at(channel, chat)
      if (index >= 0) chats[index] = { ...chats[index]!, chat: to }
      return index >= 0
    },
  }
}
