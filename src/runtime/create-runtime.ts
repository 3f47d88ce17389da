import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Channel, type Contributions, type Runtime, RuntimeError } from '../capability.ts'
import { createActivity, defined, type KnownSecrets } from '../platform.ts'
import { storeBytes } from '../session.ts'
import { examineStoredAudit } from './audit/home-audit.ts'
import { createBudgetService } from './budgets/budget-service.ts'
import { openChannelInbox } from './channels/channel-inbox.ts'
import { openStoredInbox } from './channels/stored-inbox.ts'
import { runChannels } from './channels/channel-run.ts'
import { createOutbox } from './channels/outbox.ts'
import { createPairings } from './channels/pairings.ts'
import { createCompletions } from './completions/completion.ts'
import { createConfigurationService } from './configuration/configuration-service.ts'
import { cutOffError } from './failure.ts'
import { createForeignServices } from './foreign/foreign-services.ts'
import { startKeepRules } from './home/keep-rules.ts'
import { untilIdle } from './idle.ts'
import { createLatestWarnings } from './latest-warnings.ts'
import { createLedger, createWireProver } from './ledger/ledger.ts'
import { findCounter } from './models/counters.ts'
import { openModelService } from './models/model-setup.ts'
import { createNoteService } from './notes/note-service.ts'
import { openHost } from './open-host.ts'
import { createRunningSums } from './running-sums.ts'
import { createTurnServices } from './turn-services.ts'
import { type RuntimeParts, type WholeParts, wholeParts } from './runtime-parts.ts'
import { createSessionStates } from './sessions/session-state.ts'
import { createSessions } from './sessions/sessions.ts'
import { createAcceptanceService } from './tools/acceptance-service.ts'
import { createAccessService } from './tools/access-service.ts'
import { createApprovalService } from './tools/approval-service.ts'
import { createLiveQuestions } from './tools/live-questions.ts'
import type { ToolPolicy } from './tools/tool-policy.ts'
import { createToolAdmin } from './tools/tool-admin.ts'
import { foldSessions } from './turn/fold-sessions.ts'
import { createPreviews, previewCall } from './turn/preview.ts'
import { createTurnService } from './turn/turn-service.ts'

export interface HostedRuntime extends Runtime {
  readonly contributed: Contributions
  /** Those that are open, with the endpoints at which their services call. */
  readonly channels: readonly Channel[]
  /** What nothing that leaves it may contain; absent where it knows no secrets. */
  readonly secrets: KnownSecrets | undefined
  /** What holds for the homes of people within this one, too. */
  readonly shared: Pick<WholeParts, 'live'> & { readonly policy: ToolPolicy }
}

/**
 * Starts the capabilities, puts a runtime together, and resumes. Rejects with the names of capabilities at fault; the
 * store stays open.
 */
export async function createRuntime(given: RuntimeParts): Promise<HostedRuntime> {
  const parts = wholeParts(given)
  const { store, clock, data, settings, secrets, timeZone, writes, checkpoints } = parts
  const warnings = createLatestWarnings(parts)
  const { warn } = warnings
  const activity = createActivity()
  const states = createSessionStates(store)
  const models = await openModelService(parts, warn)
  const { choice, learned, priceOf } = models
  let runtime: HostedRuntime | undefined
  const host = await openHost(parts, warn, () => {
    if (runtime) return runtime
    throw new Error('there is no runtime before every capability has started')
  })
  const { capabilities, channels, library, recall, tools, policy } = host
  let closing: Promise<void> | undefined
  const closingError = () =>
    new RuntimeError('closing', 'The gateway is stopping and accepts no more input. Start it again.')
  const { gateways } = store
  const refuseWhenClosing = () => {
    if (closing) throw closingError()
    if (gateways?.isCutOff()) throw cutOffError()
  }
  const channelsOpen = Promise.withResolvers<void>()
  // A write of nothing begins with the question whose home it is.
  const hasHome = async () => void (gateways && (await store.transaction([])))
  const outbox = createOutbox(store, channels, clock, warn, {
    opens: channelsOpen.promise,
    hasHome,
    activity,
    stopTimeoutMs: 2_000,
  })
  const questions = createLiveQuestions({ store, clock })
  const approvals = createApprovalService({ store, states, clock, live: questions, activity, policy })
  const ledger = createLedger(store, findCounter, () => createWireProver(choice, library))
  const { readFingerprint } = ledger
  const budgets = createBudgetService({
    folder: data,
    configured: () => parts.limits?.().budgets ?? parts.budgets ?? [],
    read: parts.readBudgets,
    mayPass: parts.mayPassBudgets ?? true,
    groups: parts.groups,
    timeZone,
    clock,
    recovers: writes,
    earlier: { store, priceOf },
    activity,
    warn,
  })
  // What services share, under the names by which they ask for it.
  const shared = {
    store,
    clock,
    settings,
    states,
    models: choice,
    capabilities,
    policy,
    budgets,
    activity,
    warn,
    refuseWhenClosing,
  }
  const turns = createTurnServices({ ...shared, learned, secrets, library, tools, approvals, outbox, readFingerprint })
  const { context, files, prepare, queue, notes } = turns
  const sessions = createSessions({
    ...shared,
    queue,
    cache: context.cache,
    forgetHistory: (session) => recall.forget(session),
  })
  const { sessionState: openState, ...ofSessions } = sessions
  const programs = createForeignServices({
    ...shared,
    models: parts.models,
    priceOf,
    counter: settings.counter,
    context,
    secrets,
    factsOf: (id) => parts.models.knownFacts(id),
    resolve: choice.resolve,
    ledger,
    questions,
    departures: join(data, 'departures'),
  })
  const { foreign } = programs
  const previews = { prepare, store, states, clock, files, readFingerprint }
  const completions = { context, models: choice, clock, budgets }
  const toolAdmin = createToolAdmin({ ...shared, tools })
  const started = clock.time()
  const sums = createRunningSums({ store, priceOf })
  let recovered = 0
  runtime = {
    store,
    channels,
    secrets,
    contributed: capabilities,
    shared: { live: parts.live, policy: parts.policy },
    capability: capabilities.capability,
    choiceOptions: capabilities.choiceOptions,
    ...createTurnService({ ...shared, queue, files, openState }),
    ...ofSessions,
    ...createPreviews(previews, capabilities),
    ...toolAdmin,
    ...models.views,
    priceOf,
    ...createCompletions(completions, refuseWhenClosing),
    ...programs.views,
    ...ledger.views,
    ...approvals.views,
    notes: createNoteService({ ...completions, openState }),
    pairings: createPairings({ store, clock, random: randomBytes, ofOwner: parts.sharedRecords }),
    recall,
    budgets: budgets.report,
    verifyAudit: (asked) => checkpoints?.verify(asked) ?? examineStoredAudit(store, asked),
    auditKey: () => checkpoints?.key,
    acceptance: createAcceptanceService({ policy, capabilities, acceptTool: toolAdmin.acceptTool }),
    access: createAccessService({ ...parts, policy, capabilities, tools }),
    configuration: createConfigurationService(parts),
    async status() {
      const { running, queued } = queue.counts()
      return {
        version: parts.version,
        home: parts.home,
        ...defined({ store: parts.database }),
        model: await choice.current(),
        running,
        queued,
        waiting: approvals.count(),
        recovered,
        // A channel warns when something goes wrong, and for as long as it is wrong.
        warnings: warnings.with([
          ...host.warnings(),
          ...(await host.policyWarnings()),
          ...channels.flatMap((channel) => channel.warnings?.() ?? []),
          ...learned.limits.sentences(),
          ...(checkpoints?.warnings() ?? []),
          ...(parts.sharing?.state().refused ?? []),
        ]),
        started,
        facts: await capabilities.status(),
      }
    },
    metrics: async () => ({
      started,
      ...(await sums.read()),
      ...queue.counts(),
      waiting: approvals.count(),
      breakers: choice.health.breakers(),
      storeBytes: storeBytes(data),
    }),
    async unready() {
      const fault = closing ? undefined : await parts.storeHealth?.fault()
      if (fault === 'full') return new RuntimeError('storage-full', 'The disk is full, and nothing can be stored.')
      if (fault) return new RuntimeError('storage', 'The store cannot be written.')
      if (closing) return closingError()
      return gateways?.isCutOff() ? cutOffError() : undefined
    },
    async reload({ now = false, session } = {}) {
      const unshared = (await parts.sharing?.share()) ?? []
      await capabilities.reload()
      const unread = await budgets.reload()
      models.forget()
      const preview = (options: Parameters<typeof previewCall>[1]) => previewCall(previews, options)
      const folded = now ? await foldSessions({ store, clock, preview }, session) : undefined
      return { warnings: [...host.warnings(), ...unread, ...unshared], ...defined({ folded }) }
    },
    idle(session, signal) {
      const services = [activity, approvals, foreign, recall, learned.calibration, checkpoints, store]
      return untilIdle(clock, [...services, ...capabilities.parts, ...channels], session, signal)
    },
    close: () => (closing ??= close()),
  }

  let stopKeepRules: (() => Promise<void>) | undefined
  if (writes) {
    await budgets.fill()
    const waiting = parts.endsWithCommand ? await approvals.turns() : undefined
    recovered = await queue.recover((turn) => waiting?.has(turn) ?? true)
    await foreign.recover()
    activity.run(undefined, capabilities.recover()).catch((error: unknown) => warn(String(error)))
    recall.start()
    if (parts.keep) stopKeepRules = startKeepRules({ rules: parts.keep, data, clock, activity, programs, warn })
    if (settings.notes === 'model') notes.recover()
  }
  const running = runChannels({
    channels: writes ? channels : [],
    runtime,
    clock,
    openInbox: (channel) =>
      gateways ? openStoredInbox(store, channel, clock) : openChannelInbox(join(data, 'channels', channel), warn),
    openSent: outbox.openSent,
    hasHome,
    handOver: parts.handOver,
    warn,
  })
  channelsOpen.resolve()
  return runtime

  async function close(): Promise<void> {
    sums.stop()
    models.close()
    await queue.stop({ cancels: parts.endsWithCommand ?? false })
    await running.stop()
    await stopKeepRules?.()
    await foreign.idle()
    await Promise.all([capabilities.stop(), learned.calibration.idle(), recall.close()])
    budgets.close()
    policy.close?.()
    await checkpoints?.close()
    await store.close()
  }
}
