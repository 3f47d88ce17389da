import { readHistoryTool } from '../agent.ts'
import type { Models } from '../model.ts'
import type { RunningPlugins } from '../plugin.ts'
import type { Binding, SessionStore } from '../session.ts'
import type { Tool } from '../tool.ts'
import { admit, noSuchSession } from './admission.ts'
import { openCalibrationBook } from './calibration-book.ts'
import type { Channel } from './channel.ts'
import type { Clock } from './clock.ts'
import { complete } from './completion.ts'
import { type Runtime, RuntimeError } from './contract.ts'
import { counters, remembering } from './counters.ts'
import { createLedger } from './ledger.ts'
import { createModelChoice } from './model-choice.ts'
import { modelStatuses } from './model-status.ts'
import { createOutbox } from './outbox.ts'
import type { Workbench } from './prepare-call.ts'
import { preview } from './preview.ts'
import { createDesks, publish } from './session-desk.ts'
import { sessionEvents } from './session-events.ts'
import type { RuntimeSettings } from './settings.ts'
import { runtimeFailure } from './runtime-failure.ts'
import { createTurnShelf } from './turn-shelf.ts'
import { createTurnQueue } from './turn-queue.ts'

/** Everything a runtime is made of. It closes the store and stops the plugins when it is closed. */
export interface RuntimeParts {
  readonly version: string
  readonly home: string
  readonly store: SessionStore
  readonly models: Models
  readonly plugins: RunningPlugins
  readonly settings: RuntimeSettings
  readonly clock: Clock
  /** Tools besides those of the plugins. */
  readonly tools?: readonly Tool[]
  readonly channels?: readonly Channel[]
  /** Sentences for the operator. */
  readonly warn?: (text: string) => void
  /** Whether turns that a former process left are taken up. */
  readonly recovers?: boolean
}

/** Puts a runtime together and takes up what a former process left. */
export async function createRuntime(parts: RuntimeParts): Promise<Runtime> {
  const { store, plugins, clock, channels = [] } = parts
  const warnings: string[] = []
  const warn = (text: string) => {
    if (warnings.length < 100) warnings.push(text)
    parts.warn?.(text)
  }
  const settings = { ...parts.settings, counter: remembering(parts.settings.counter) }
  const shelf = createTurnShelf()
  const historyTool = readHistoryTool(store)
  const calibration = await openCalibrationBook(store, warn)
  const ownTools = () => [...plugins.tools(), ...(parts.tools ?? [])]
  const bench = (): Workbench => ({
    store,
    settings,
    calibration,
    shelf,
    layers: (context) => plugins.layers(context),
    tools: ownTools(),
    historyTool,
  })
  const models = createModelChoice(parts.models, settings.model, warn)
  const desks = createDesks(store)
  const ledger = createLedger(store, counters)
  const outbox = createOutbox(store, channels, clock, warn)
  const { fingerprintOf } = ledger
  const tools = () => [...ownTools(), historyTool]
  const queue = createTurnQueue({ store, bench, tools, models, desks, outbox, clock, warn, fingerprintOf })
  const started = clock.time()
  let closing: Promise<void> | undefined

  async function deskOf(session: string) {
    const desk = await desks.of(session)
    if (desk) return desk
    throw noSuchSession(session)
  }

  function refuseWhenClosing(): void {
    if (closing) throw new RuntimeError('closing', 'The gateway is stopping and takes no more input. Start it again.')
  }

  async function newSession({ title, binding, model }: Parameters<Runtime['newSession']>[0] = {}) {
    refuseWhenClosing()
    const session = clock.newId('session')
    const start = {
      type: 'session-start' as const,
      ...(title === undefined ? {} : { title }),
      ...(binding ? { channel: binding } : {}),
    }
    const bodies = model === undefined ? [start] : [start, { type: 'model' as const, model }]
    try {
      await store.transaction([
        { type: 'append', session, bodies, time: clock.time() },
        ...(binding ? [{ type: 'binding' as const, binding, session }] : []),
      ])
    } catch (error) {
      throw runtimeFailure(error)
    }
    desks.fresh(session, model)
    return (await store.session(session))!
  }

  /** Two first messages of one conversation ask at the same time for a session, and get the same. */
  const boundSoon = new Map<string, Promise<string>>()

  async function findOrBind(binding: Binding): Promise<string> {
    return (await store.bound(binding)) ?? (await newSession({ binding })).id
  }

  const recovered = parts.recovers === false ? 0 : await queue.recover()

  return {
    store,
    async submit(input) {
      refuseWhenClosing()
      const { desk, submitted } = await admit({ store, desks, settings, clock }, input)
      if (!submitted.repeated) queue.add(desk, submitted.turn)
      return submitted
    },
    cancel: async (session, turn) => queue.cancel(await deskOf(session), turn),
    async *events(session, options) {
      const desk = await deskOf(session)
      const { turn } = options
      if (turn !== undefined && !desk.live.has(turn) && !(await store.turn(session, turn))) {
        throw new RuntimeError('no-such-turn', `The session ${session} has no turn ${turn}.`)
      }
      yield* sessionEvents(store, desk, options)
    },
    newSession,
    sessionFor(binding) {
      const name = JSON.stringify([binding.channel, binding.conversation])
      const under = boundSoon.get(name) ?? findOrBind(binding).finally(() => boundSoon.delete(name))
      boundSoon.set(name, under)
      return under
    },
    async setModel(session, model) {
      const desk = await deskOf(session)
      try {
        if (model !== undefined) await models.resolve(model)
        publish(desk, await store.append(session, [{ type: 'model', model: model ?? null }], clock.time()))
      } catch (error) {
        throw runtimeFailure(error)
      }
      desk.model = model
    },
    async deleteSession(session) {
      const desk = await desks.of(session)
      if (!desk) return false
      while (desk.queue[0] !== undefined) await queue.cancel(desk, desk.queue[0])
      if (desk.running) {
        throw new RuntimeError('invalid-input', `A turn of ${session} is running. Cancel it first.`, { session })
      }
      desks.forget(session)
      shelf.forget(`${session} `)
      return store.deleteSession(session)
    },
    async *complete(input) {
      refuseWhenClosing()
      yield* complete({ bench: bench(), models, clock }, input)
    },
    async preview(options) {
      try {
        return await preview({ bench: bench(), models, desks, clock }, options)
      } catch (error) {
        throw runtimeFailure(error)
      }
    },
    request: ledger.request,
    diff: ledger.diff,
    replay: ledger.replay,
    models: () => modelStatuses(parts.models, models, calibration),
    async status() {
      const { running, queued } = queue.counts()
      return {
        version: parts.version,
        home: parts.home,
        model: await models.current(),
        running,
        queued,
        recovered,
        warnings: [...plugins.warnings(), ...warnings],
        started,
      }
    },
    async reload() {
      await plugins.reload()
      models.forget()
      calibration.forgetLimits()
      return { warnings: plugins.warnings() }
    },
    close() {
      closing ??= (async () => {
        await queue.stop()
        await Promise.all([plugins.stop(), calibration.close()])
        await store.close()
      })()
      return closing
    },
  }
}
