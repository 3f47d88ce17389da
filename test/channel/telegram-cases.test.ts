import test from 'node:test'
import { telegramChannel } from '../../src/capabilities/telegram/telegram-channel.ts'
import { channelCases, type ChannelFixture, type ScriptedFailure, scriptedTelegram } from '../../src/testing.ts'
import { fastTime } from './fast-time.ts'

channelCases(test, telegramPlace)

/** A Bot API server that outlives the channels to it. */
async function telegramPlace(): Promise<ChannelFixture> {
  const telegram = await scriptedTelegram()
  /** Ids of updates by the numbers that the cases give them. */
  const updates = new Map<number, number>()
  const acknowledged = (id: number) => telegram.until(() => !telegram.waiting.some((one) => one.update_id === id))
  return {
    longest: 4096,
    async open() {
      let failing = false
      /** Concerns every chat while it lasts, and none afterwards. */
      const failure: ScriptedFailure = {
        type: 'broken',
        get chat() {
          return failing ? undefined : 0
        },
      }
      const said = (chat: number) => telegram.messages(chat).flatMap(({ from, text }) => (from === 'bot' ? [text] : []))
      return {
        channel: telegramChannel({
          token: telegram.token,
          apiRoot: telegram.url,
          allowedUsers: [],
          allowedChats: [],
          linkPreviews: false,
          maxFileBytes: 1_000_000,
          ...fastTime,
        }),
        async send(conversation, text, { update } = {}) {
          const known = update === undefined ? undefined : updates.get(update)
          if (known === undefined) {
            const id = telegram.say(Number(conversation), text)[0]!.update_id
            if (update !== undefined) updates.set(update, id)
            await acknowledged(id)
            return
          }
          telegram.redeliver(known)
          await acknowledged(known)
        },
        sentMessages: async (conversation) => said(Number(conversation)),
        async pair(conversation, pairings) {
          const { code } = await pairings.newCode('telegram')
          telegram.say(Number(conversation), `/pair ${code}`)
          await telegram.until(() => said(Number(conversation)).some((text) => text.startsWith('This chat is paired.')))
        },
        fail(after) {
          failing = after !== undefined
          if (after === undefined) return
          if (after > 0) telegram.fail('sendMessage', { type: 'slow', ms: 0 }, after)
          telegram.fail('sendMessage', failure, 1_000_000)
        },
        async close() {
          failing = false
        },
      }
    },
    remove: () => telegram.close(),
  }
}
