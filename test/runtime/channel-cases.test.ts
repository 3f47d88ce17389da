import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Channel } from '../../src/runtime.ts'
import type { ChannelContext } from '../../src/capability.ts'
import { channelCases, type ChannelFixture } from '../../src/testing.ts'
import { pigeonChannel } from './channel-example.ts'
import { type PigeonPost, pigeonPost } from './channel-example-service.ts'

function pigeonPlace(channelTo: (post: PigeonPost) => Channel = pigeonChannel): ChannelFixture {
  const post = pigeonPost(200)
  let numbers = 1_000
  return {
    longest: post.longest,
    open: async () => ({
      channel: channelTo(post),
      send: (conversation, text, { update } = {}) => post.write({ number: update ?? ++numbers, conversation, text }),
      sentMessages: async (conversation) => post.notes(conversation),
      async pair(conversation, pairings) {
        const { code } = await pairings.newCode('pigeon')
        const chat = { channel: 'pigeon', chat: conversation, title: 'A roof', kind: 'person' } as const
        assert.equal(await pairings.redeem(code, chat), true)
      },
      fail: post.fail,
      close: async () => {},
    }),
    remove: async () => {},
  }
}

channelCases(test, async () => pigeonPlace())

/** The cases by their names, for channels that fail some. */
function casesOf(channelTo: (post: PigeonPost) => Channel): ReadonlyMap<string, () => Promise<void>> {
  const cases = new Map<string, () => Promise<void>>()
  channelCases(
    (name, run) => cases.set(name, run),
    async () => pigeonPlace(channelTo),
  )
  return cases
}

/** The example with another desk. */
function onDesk(post: PigeonPost, change: (desk: ChannelContext) => ChannelContext): Channel {
  const channel = pigeonChannel(post)
  return { ...channel, start: async (desk) => channel.start?.(change(desk)) }
}

const broken: Readonly<Record<string, (post: PigeonPost) => Channel>> = {
  'a message is on disk before the channel acknowledges it': (post) =>
    onDesk(post, (desk) => {
      const accept = async (id: string, value: unknown) => {
        void desk.inbox.accept(id, value)
        return true
      }
      return { ...desk, inbox: { ...desk.inbox, accept } }
    }),
  'a message that is delivered twice starts one turn, even after a restart': (post) => {
    let numbers = 0
    return onDesk(post, (desk) => ({
      ...desk,
      inbox: { ...desk.inbox, accept: async () => true },
      runtime: {
        ...desk.runtime,
        submit: (input) => desk.runtime.submit({ ...input, idempotencyKey: `pigeon:${Math.random()}:${++numbers}` }),
      },
    }))
  },
  'a reply that was sent but not recorded is not sent again after a restart': (post) =>
    onDesk(post, (desk) => ({ ...desk, sent: async () => {} })),
  'an unpaired chat reaches no model and creates no session': (post) =>
    onDesk(post, (desk) => {
      const find = async (channel: string, chat: string) =>
        ({ channel, chat, title: '', kind: 'person', time: '' }) as const
      return { ...desk, runtime: { ...desk.runtime, pairings: { ...desk.runtime.pairings, find } } }
    }),
  'a reply that is longer than a message arrives completely, in parts': (post) => ({
    ...pigeonChannel(post),
    deliver: async ({ conversation, text }) => ({
      messageId: await post.send(conversation, `${text.slice(0, 150)} … ${text.trim().split(/\s+/).at(-1)}`),
    }),
  }),
}

for (const [name, channelTo] of Object.entries(broken)) {
  test(`the suite finds a channel that does not keep to: ${name}`, async () => {
    await assert.rejects(casesOf(channelTo).get(name)!(), assert.AssertionError)
  })
}
