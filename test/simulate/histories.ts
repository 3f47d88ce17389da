import { scheduleService } from '../../src/capabilities/schedules/schedules.ts'
import { exportSession } from '../../src/session.ts'
import { attempt, handIn, type PersonParts, remember } from './people.ts'
import { randomOf } from './random.ts'
import { diskError, type Ending, liveIn, type World } from './story.ts'
import type { DiskOperation } from './virtual-disk.ts'

/** What happens in a history, step by step. A step that the disk makes impossible is answered with an error, and the next one comes. */
type Step = (parts: PersonParts) => Promise<void>

const say =
  (text: string): Step =>
  async (parts) => {
    const { gateway, sessions } = parts
    const accepted = await gateway.ask((runtime) =>
      runtime.submit({ text, ...(sessions[0] && { session: sessions[0] }) }),
    )
    remember(parts, { ...accepted, text })
    await gateway.ask((runtime) => runtime.idle())
  }

/** Three histories in which everything is written that a gateway writes. */
export const histories: Readonly<
  Record<string, { readonly budgets?: readonly object[]; readonly steps: readonly Step[] }>
> = {
  'files and tools': {
    steps: [
      say('Please send a letter.'),
      async (parts) => {
        const { gateway, sessions } = parts
        const attachments = [await handIn(parts)]
        const [session] = sessions
        const text = 'What does it show?'
        remember(parts, {
          ...(await gateway.ask((runtime) => runtime.submit({ text, attachments, ...(session && { session }) }))),
          text,
        })
        await gateway.ask((runtime) => runtime.idle())
      },
      say('Please read the barometer.'),
    ],
  },
  'budgets and a schedule': {
    budgets: [{ limit: { usd: 5 }, per: 'day' }],
    steps: [
      say('Good morning.'),
      async ({ gateway, time }) => {
        const given = { when: 'every 15 minutes', text: 'How is the sea?', budget: { usd: 1 }, missed: 'once' as const }
        await gateway.ask((runtime) => runtime.capability(scheduleService)!.add(given))
        await time.sleep(20 * 60_000)
      },
      async ({ gateway, name }) => {
        const { digest } = await gateway.ask((runtime) => runtime.configuration.value(['budgets']))
        const change = {
          key: ['budgets'],
          value: [{ limit: { usd: 6 }, per: 'day' }],
          kept: ['budgets'],
          digest,
          by: name,
        }
        await gateway.ask((runtime) => runtime.configuration.set(change))
        await gateway.ask((runtime) => runtime.reload())
      },
    ],
  },
  'an import and compaction': {
    steps: [
      say('Good morning.'),
      async ({ gateway, sessions }) => {
        const [session] = sessions
        if (session === undefined) return
        await gateway.ask(async (runtime) => {
          const lines = exportSession(runtime.store, session)
          const copy = await runtime.importSession(lines, { as: 'copied' })
          sessions.push(copy)
        })
      },
      async ({ gateway, sessions }) => {
        await gateway.ask((runtime) => runtime.deleteSession(sessions.splice(1, 1)[0] ?? 'none'))
      },
      async ({ gateway, sessions }) => {
        await gateway.ask((runtime) => runtime.reload({ now: true, ...(sessions[0] && { session: sessions[0] }) }))
      },
      say('And now?'),
    ],
  },
}

/** What can fail. Reading is not among it: nothing that was acknowledged depends on that. */
const FAILING = new Set<DiskOperation>(['open', 'write', 'sync', 'rename', 'remove', 'commit'])

/** Lives a history in which the disk fails once: the `failing`th time that something is asked of it. 0: never. */
export async function liveHistory(
  name: keyof typeof histories,
  failing: number,
): Promise<Ending & { readonly asked: number }> {
  const { budgets = [], steps } = histories[name]!
  let asked = 0
  const ending = await liveIn(
    randomOf(name),
    () => ({
      budgets,
      slowestDisk: 3,
      answer: ({ tools, body }) => ({
        delay: 50,
        pause: 5,
        splits: false,
        answer: answerOf(JSON.stringify(body['messages']), tools),
      }),
      fault(operation, path) {
        if (!FAILING.has(operation) || (operation === 'open' && path.startsWith('/proc'))) return undefined
        asked += 1
        return asked === failing ? diskError(failing % 2 === 0 ? 'EIO' : 'ENOSPC', operation) : undefined
      },
    }),
    (world) => live(world, steps),
  )
  return { ...ending, asked }
}

async function live(world: World, steps: readonly Step[]): Promise<void> {
  const { gateway, time, random, told, note } = world
  const parts: PersonParts = { gateway, time, random, told, name: 'Ann', sessions: [], trace: note, patient: true }
  for (const step of steps) {
    while (!gateway.isRunning()) await time.sleep(60_000)
    await attempt(parts, `step ${steps.indexOf(step) + 1}`, step)
  }
}

/** Calls the tool that the newest message names, once. */
function answerOf(messages: string, tools: readonly string[]) {
  const newest = messages.slice(messages.lastIndexOf('"role":"user"'))
  const wanted = newest.includes('"role":"tool"') ? undefined : /letter|barometer/.exec(newest)?.[0]
  const name = tools.find((tool) => wanted !== undefined && tool.endsWith(wanted))
  return name === undefined ? { text: 'The sea is calm.' } : { toolCalls: [{ name, input: { to: 'Ann' } }] }
}
