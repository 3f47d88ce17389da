import { restartCases } from './channel-cases-restart.ts'
import { conversationCases } from './channel-cases-talk.ts'
import { type ChannelCase, type ChannelFixture, channelWorld } from './channel-cases-world.ts'
import type { TestFunction } from './test-function.ts'

/**
 * Adds a test for every rule of `Channel`, over a runtime with a scripted model:
 *
 * ```ts
 * channelCases(test, async () => ({ longest: 4096, open: async () => …, remove: async () => … }))
 * ```
 */
export function channelCases(test: TestFunction, makeFixture: () => Promise<ChannelFixture>): void {
  const channelCase: ChannelCase = (name, run) => {
    test(name, async () => {
      const world = await channelWorld(await makeFixture())
      try {
        await run(world)
      } finally {
        await world.remove()
      }
    })
  }
  conversationCases(channelCase)
  restartCases(channelCase)
}
