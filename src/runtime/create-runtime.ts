import { readHistoryTool, readResultTool } from '../agent.ts'
import type { Models } from '../model.ts'
import type { RunningPlugins } from '../plugin.ts'
import { type SessionStore, verifyAudit } from '../session.ts'
import { createToolbox, type Tool } from '../tool.ts'
import { admit } from './admission.ts'
import { createApprovalDesk } from './approvals.ts'
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
import type { Workbench } from './workbench.ts'
import { preview } from './preview.ts'
import { createDesks } from './session-desk.ts'
import { sessionEvents } from './session-events.ts'
import { createSessions } from './sessions.ts'
import { createToolDoors } from './tool-doors.ts'
import { allowedTools, type ToolPolicy, toolWarnings } from './tool-policy.ts'
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
  /** Says what may run. Nothing else does. */
  readonly policy: ToolPolicy
  /** Tools besides those of the plugins. */
  readonly tools?: readonly Tool[]
  readonly channels?: readonly Channel[]
  /** Sentences for the operator. */
  readonly warn?: (text: string) => void
  /** Whether turns that a former process left are taken up. */
  readonly recovers?: boolean
}

/** Sentences that `status` shows; later ones are only told. */
const MOST_WARNINGS = 100

/** Puts a runtime together and takes up what a former process left. */
export async function createRuntime(parts: RuntimeParts): Promise<Runtime> {
  const { store, plugins, clock, channels = [] } = parts
  const policy: ToolPolicy = {
    current: () => parts.policy.current(),
    withheld: () => new Set(plugins.withheld().map(({ name }) => name)),
  }
  const warnings: string[] = []
  const warn = (text: string) => {
    if (warnings.length < MOST_WARNINGS) warnings.push(text)
    parts.warn?.(text)
  }
  const settings = { ...parts.settings, counter: remembering(parts.settings.counter) }
  const shelf = createTurnShelf()
  const readers = [readResultTool(store), readHistoryTool(store)]
  const calibration = await openCalibrationBook(store, warn)
  const tools = () => [...plugins.tools(), ...(parts.tools ?? []), ...readers]
  const bench = (): Workbench => ({
    store,
    settings,
    calibration,
    shelf,
    layers: (context) => plugins.layers(context),
    allowedTools: () => allowedTools(policy, createToolbox(tools()).tools),
  })
  const models = createModelChoice(parts.models, settings.model, warn)
  const desks = createDesks(store)
  const ledger = createLedger(store, counters)
  const outbox = createOutbox(store, channels, clock, warn)
  const { fingerprintOf } = ledger
  const approvals = createApprovalDesk({ store, desks, clock })
  const readyTools = async () => {
    await plugins.ready()
    return tools()
  }
  const queue = createTurnQueue({
    store,
    bench,
    tools: readyTools,
    policy,
    approvals,
    models,
    desks,
    outbox,
    clock,
    warn,
    fingerprintOf,
  })
  const started = clock.time()
  let closing: Promise<void> | undefined

  function refuseWhenClosing(): void {
    if (closing) throw new RuntimeError('closing', 'The gateway is stopping and takes no more input. Start it again.')
  }

  const { deskOf, ...sessions } = createSessions({
    store,
    desks,
    queue,
    shelf,
    models,
    clock,
    refuseWhenClosing,
  })
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
    ...sessions,
    async *complete(input) {
      refuseWhenClosing()
      yield* complete({ bench: bench(), models, clock }, input)
    },
    async preview(options) {
      try {
        await plugins.ready()
        return await preview({ bench: bench(), models, desks, clock }, options)
      } catch (error) {
        throw runtimeFailure(error)
      }
    },
    request: ledger.request,
    diff: ledger.diff,
    replay: ledger.replay,
    approvals: approvals.waiting,
    decide: approvals.decide,
    ...createToolDoors({ store, plugins, policy, settings, clock, tools }),
    verifyAudit: () => verifyAudit(store),
    models: () => modelStatuses(parts.models, models, calibration),
    async status() {
      const { running, queued } = queue.counts()
      return {
        version: parts.version,
        home: parts.home,
        model: await models.current(),
        running,
        queued,
        waiting: approvals.count(),
        recovered,
        warnings: [...plugins.warnings(), ...(await toolWarnings(policy, tools())), ...warnings],
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
