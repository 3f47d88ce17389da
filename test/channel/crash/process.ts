import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { telegramChannel } from '../../../src/capabilities/telegram/telegram-channel.ts'
import { tokenx } from '../../../src/context.ts'
import { prompt } from '../../../src/capabilities/prompt/prompt.ts'
import { type Channel, createRuntime, systemClock } from '../../../src/runtime.ts'
import { ownFeatures, ownSettings, withFeatures } from '../../home/features.ts'
import { openStore } from '../../../src/session.ts'
import { scriptedModel, scriptedModels } from '../../../src/testing.ts'
import { readAccess } from '../../../src/tool.ts'
import { fastTime } from '../fast-time.ts'

/** Where this process kills itself: no handler runs, nothing is flushed. */
export type Place = 'accepted' | 'submitted' | 'before-sending' | 'before-noting' | 'growing' | 'before-delivered'

/** The one argument of this process, as JSON. */
export interface Orders {
  readonly home: string
  readonly apiRoot: string
  readonly token: string
  readonly person: number
  readonly killAt?: Place
}

const orders = JSON.parse(process.argv[2]!) as Orders
const { home, apiRoot, token, person, killAt } = orders

function reach(place: Place): void {
  if (place === killAt) process.kill(process.pid, 'SIGKILL')
}

const telegram = telegramChannel({
  token,
  apiRoot,
  allowedUsers: [person],
  allowedChats: [],
  linkPreviews: false,
  maxFileBytes: 1_000_000,
  ...fastTime,
})

/** The channel, watched at the places where a crash is told from another. */
const watched: Channel = {
  ...telegram,
  async start(desk) {
    const { inbox, runtime } = desk
    await telegram.start!({
      ...desk,
      inbox: {
        ...inbox,
        async accept(id, value) {
          const isNew = await inbox.accept(id, value)
          reach('accepted')
          return isNew
        },
      },
      runtime: {
        ...runtime,
        async submit(input) {
          const submitted = await runtime.submit(input)
          reach('submitted')
          return submitted
        },
      },
      async sending(session, turn, part) {
        const isAgain = await desk.sending(session, turn, part)
        reach('before-sending')
        return isAgain
      },
      async sent(session, turn, part) {
        reach('before-noting')
        await desk.sent(session, turn, part)
        reach('growing')
      },
    })
  },
  async deliver(reply) {
    const delivered = await telegram.deliver(reply)
    reach('before-delivered')
    return delivered
  },
}

const model = scriptedModel({
  answer: () => ({ text: ['Once ', 'upon ', 'a time.'], before: (piece) => (piece === 0 ? undefined : pause(40)) }),
})
withFeatures(
  await createRuntime({
    version: '0.1.0',
    home,
    store: await openStore({ clock: systemClock, path: join(home, 'store.sqlite') }),
    models: scriptedModels(model),
    capabilities: [prompt, ...ownFeatures],
    capabilitySettings: ownSettings(home),
    settings: { layout: 'auto', counter: tokenx, maxSteps: 4, retryDelaysMs: [1, 1] },
    clock: systemClock,
    policy: { current: async () => readAccess('{}', {}) },
    channels: [watched],
  }),
)
