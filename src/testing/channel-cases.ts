import { restartCases } from './channel-cases-restart.ts'
import { talkCases } from './channel-cases-talk.ts'
import { type ChannelCase, type ChannelPlace, type ChannelTest, channelWorld } from './channel-cases-world.ts'

/**
 * Every promise of `Channel`, as tests over a runtime with a scripted model. A channel runs them all:
 *
 * ```ts
 * channelCases(test, async () => ({ longest: 4096, open: async () => …, remove: async () => … }))
 * ```
 */
export function channelCases(test: ChannelTest, makePlace: () => Promise<ChannelPlace>): void {
  const channelCase: ChannelCase = (name, run) => {
    test(name, async () => {
      const world = await channelWorld(await makePlace())
      try {
        await run(world)
      } finally {
        await world.remove()
      }
    })
  }
  talkCases(channelCase)
  restartCases(channelCase)
}
