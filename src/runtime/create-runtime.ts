import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readHistoryTool, readResultTool } from '../agent.ts'
import {
  type Channel,
  type CompletionInput,
  type Contributions,
  fileLibrary,
  type Runtime,
  RuntimeError,
} from '../capability.ts'
import { createActivity, defined, ForewordError, type KnownSecrets, localTimeZone } from '../platform.ts'
import type { Recall } from '../search.ts'
import type { InputOptions } from '../session.ts'
import { examineStoredAudit } from './audit/home-audit.ts'
import type { AssemblyContext } from './turn/assembly-context.ts'
import { createBudgetService } from './budgets/budget-service.ts'
import { createBackupService } from './backup/backup-service.ts'
import { createTurnCache } from './calls/history-loader.ts'
import { openChannelInbox } from './channels/channel-inbox.ts'
import { noteSent, runChannels } from './channels/channel-run.ts'
import { createOutbox } from './channels/outbox.ts'
import { createPairings } from './channels/pairings.ts'
import { complete, completionSize } from './completions/completion.ts'
import { createConfigurationService } from './configuration/configuration-service.ts'
import { createForeignServices, recordedEmbeddings } from './foreign/foreign-services.ts'
import { homeAt } from './home/home.ts'
import { startKeepRules } from './home/keep-rules.ts'
import { untilIdle } from './idle.ts'
import { createLedger, createWireProver } from './ledger/ledger.ts'
import { openLearned } from './models/open-learned.ts'
import { findCounter, rememberCounts } from './models/counters.ts'
import { runtimeFailure } from './failure.ts'
import { createLatestWarnings } from './latest-warnings.ts'
import { createModelSetup } from './models/model-setup.ts'
import { createModelChoice, modelStatuses, modelView, priceOf } from './models/model-choice.ts'
import { createNoteService } from './notes/note-service.ts'
import { idleSessions } from './notes/idle-sessions.ts'
import { createNoteWriter } from './notes/note-writer.ts'
import { openRecall } from './recall/open-recall.ts'
import { type RuntimeParts, startParts } from './runtime-parts.ts'
import { admit, editedMessage, requireLiveTurn, assertUnedited, begunAlready } from './sessions/admission.ts'
import { createBacklogBudget } from './sessions/event-backlog.ts'
import { turnNotFound } from './sessions/not-found.ts'
import { sessionEvents } from './sessions/session-events.ts'
import { createSessionStates, type SessionState } from './sessions/session-state.ts'
import { createSessions } from './sessions/sessions.ts'
import { redactionOf, withoutSecrets } from './secrets/home-secrets.ts'
import { retryRule } from './settings.ts'
import { createAcceptanceService } from './tools/acceptance-service.ts'
import { createApprovalService } from './tools/approval-service.ts'
import { createLiveQuestions } from './tools/live-questions.ts'
import { createAccessService } from './tools/access-service.ts'
import { createToolAdmin } from './tools/tool-admin.ts'
import { allowedTools, type ToolPolicy, toolWarnings } from './tools/tool-policy.ts'
import { prepareTurn, type SaidInTurn } from './turn/prepare-turn.ts'
import { type AccountNext, foldSessions } from './turn/fold-sessions.ts'
import { createPreviews, previewCall } from './turn/preview.ts'
import { createTurnQueue } from './turn/turn-queue.ts'
import { createUsageService } from './usage/usage-service.ts'

export interface HostedRuntime extends Runtime {
  readonly contributed: Contributions
  /** Those that are open, with the endpoints at which their services call. */
  readonly channels: readonly Channel[]
  /** What nothing that leaves it may contain; absent where it knows no secrets. */
  readonly secrets: KnownSecrets | undefined
}

const TOOL_CONFLICT_HINT =
  'Rename the tool, or remove one of its owners from `capabilities` or `plugins` in config.json.'

/**
 * Starts the capabilities, puts a runtime together, and resumes. Rejects with the names of capabilities at fault; the
 * store stays open.
 */
export async function createRuntime(parts: RuntimeParts): Promise<HostedRuntime> {
  const { store, clock, secrets } = parts
  const redact = (text: string): string => secrets?.redact(text) ?? text
  const { endsWithCommand = false } = parts
  const writes = parts.recovers !== false
  const { data } = homeAt(parts.home)
  const latestWarnings = createLatestWarnings(parts.warnings ?? [], redact, (text) => parts.warn?.(text))
  const { warn } = latestWarnings
  const settings = { ...parts.settings, counter: rememberCounts(parts.settings.counter) }
  const live = parts.live ?? { model: settings.model, providers: {} }
  const models = createModelChoice(parts.models, clock, () => live.model, warn)
  let runtime: HostedRuntime | undefined
  const capabilities = await startParts(parts, {
    settings,
    warn,
    runtime() {
      if (runtime) return runtime
      throw new Error('there is no runtime before every capability has started')
    },
  })
  const channels = [...(parts.listens && writes ? await capabilities.channels() : []), ...(parts.channels ?? [])]
  const library = capabilities.capability(fileLibrary)
  const policy: ToolPolicy = {
    ...parts.policy,
    withheld: () => new Set(capabilities.withheld().map(({ name }) => name)),
    ...defined({ redaction: secrets && redactionOf(secrets) }),
  }
  const cache = createTurnCache()
  const recall = openRecall({
    store,
    path: parts.historyIndex ?? join(data, 'history.sqlite'),
    ...defined({ timeZone: parts.timeZone }),
    warn,
  })
  const history: Recall = {
    find: (query) => recall.find(query),
    async conversationSessions(session) {
      const earlier = (await recall.conversationSessions(session)).filter((id) => id !== session)
      return capabilities.conversation(session, [session, ...earlier])
    },
  }
  const readers = [readResultTool(store), readHistoryTool(store, history)]
  const toolConflicts = () => capabilities.toolConflicts(readers.map(({ name }) => name))
  const conflicts = toolConflicts()
  if (conflicts.length > 0) {
    await Promise.all([capabilities.stop(), recall.close()])
    throw new ForewordError('configuration', conflicts.join('\n'), {}, { hint: TOOL_CONFLICT_HINT })
  }
  const learned = await openLearned(store, clock, warn)
  const { calibration, limits } = learned
  const tools = () => [...capabilities.tools(), ...(parts.tools ?? []), ...readers]
  const context: AssemblyContext = {
    store,
    settings,
    ...learned,
    cache,
    capabilities: secrets ? withoutSecrets(capabilities, secrets) : capabilities,
    allowedTools: () => allowedTools(policy, tools()),
  }
  const states = createSessionStates(store)
  const activity = createActivity()
  const sums = { store, priceOf: (model: string) => priceOf(clock, parts.models, model) }
  const channelsOpen = Promise.withResolvers<void>()
  const outbox = createOutbox(store, channels, clock, warn, {
    opens: channelsOpen.promise,
    activity,
    stopTimeoutMs: 2_000,
  })
  const questions = createLiveQuestions({ store, clock })
  const approvals = createApprovalService({ store, states, clock, live: questions, activity, policy })
  const ledger = createLedger(store, findCounter, () => createWireProver(models, library))
  const { readFingerprint } = ledger
  const budgets = createBudgetService({
    folder: data,
    configured: parts.budgets ?? [],
    read: parts.readBudgets,
    timeZone: parts.timeZone ?? localTimeZone(),
    clock,
    recovers: writes,
    earlier: sums,
    warn,
  })
  const pairings = createPairings({ store, clock, random: randomBytes })
  const prepare = async (state: Partial<SessionState>, asked: InputOptions, said: SaidInTurn) => {
    await capabilities.ready()
    return prepareTurn({ capabilities, models, context, tools, policy }, state, asked, said)
  }
  const files = { library, capabilities, models, context }
  const previewParts = { prepare, store, states, clock, files, readFingerprint }
  const idle = idleSessions({ ...previewParts, store, library, models, counters: findCounter, budgets })
  const notes = createNoteWriter({ clock, warn, idle, activity })
  const queue = createTurnQueue({
    store,
    prepare,
    policy,
    approvals,
    budgets,
    library,
    states,
    outbox,
    clock,
    activity,
    retries: retryRule(settings),
    warn,
    notes,
    storageRetryDelaysMs: settings.storageRetryDelaysMs,
    readFingerprint,
  })
  const backlogs = createBacklogBudget()
  const programs = createForeignServices({
    ...sums,
    clock,
    counter: settings.counter,
    context,
    secrets,
    models: parts.models,
    factsOf: (id) => parts.models.knownFacts?.(id),
    budgets,
    resolve: (id) => models.resolve(id),
    ledger,
    questions,
    activity,
    departures: join(data, 'departures'),
    warn,
  })
  const started = clock.time()
  let closing: Promise<void> | undefined

  function refuseWhenClosing(): void {
    if (closing) throw new RuntimeError('closing', 'The gateway is stopping and accepts no more input. Start it again.')
  }

  const { sessionState: openState, ...sessions } = createSessions({
    store,
    states,
    queue,
    cache,
    models,
    clock,
    capabilities,
    forgetHistory: (session) => recall.forget(session),
    refuseWhenClosing,
  })
  async function* completed(input: CompletionInput): ReturnType<Runtime['complete']> {
    refuseWhenClosing()
    yield* complete({ context, models, clock, budgets }, input)
  }

  const { environment = {}, capabilities: own = [] } = parts
  const ofHome = { home: parts.home, environment, capabilities: own, store, clock }
  const backups = createBackupService({ ...ofHome, version: parts.version })
  const toolAdmin = createToolAdmin({ store, capabilities, policy, settings, clock, tools })
  let recovered = 0
  let admitting = 0
  runtime = {
    store,
    async submit(input) {
      refuseWhenClosing()
      if (input.model !== undefined) await models.assertKnown(input.model)
      if (input.choices !== undefined) await capabilities.checkChoices(input.choices)
      const { running, queued } = queue.counts()
      const open = running + queued + admitting
      admitting += 1
      const admitted = admit({ store, states, settings, clock, files, open }, input).finally(() => (admitting -= 1))
      const { state, submitted } = await activity.run(input.session, admitted)
      if (!submitted.repeated) queue.add(state, submitted.turn)
      return submitted
    },
    cancel: async (session, turn) => queue.cancel(await openState(session), turn),
    withdraw: async (session, turn) => queue.withdraw(await openState(session), turn),
    async editWaiting(session, turn, edit) {
      refuseWhenClosing()
      const state = await openState(session)
      await requireLiveTurn(store, session, turn)
      const message = await editedMessage({ settings, clock, files }, state, edit)
      if (await queue.edit(state, turn, message, () => assertUnedited(store, { session, turn, base: edit.base })))
        return
      throw begunAlready(session, turn)
    },
    async *events(session, options) {
      const state = await openState(session)
      const { turn } = options
      if (turn !== undefined && !state.live.has(turn) && !(await store.turn(session, turn))) {
        throw turnNotFound(session, turn)
      }
      yield* sessionEvents(store, state, options, backlogs)
    },
    ...sessions,
    capability: capabilities.capability,
    contributed: capabilities,
    channels,
    secrets,
    async choiceOptions(choice) {
      const offered = Object.hasOwn(capabilities.choices, choice) ? capabilities.choices[choice] : undefined
      if (!offered) throw new RuntimeError('not-found', `Sessions cannot choose: ${choice}.`, { choice })
      return offered.list?.()
    },
    complete: completed,
    async embeddings(model, body, from) {
      refuseWhenClosing()
      if (!parts.models.embeddings) throw new RuntimeError('model-not-found', 'There are no providers here.', { model })
      const { embeddings } = parts.models
      return recordedEmbeddings({ foreign: programs.foreign, embed: embeddings }, { model, body, from }).catch(
        (error: unknown) => {
          throw runtimeFailure(error)
        },
      )
    },
    completionSize: (input) => completionSize({ context, models, clock }, input),
    ...createPreviews(previewParts, capabilities),
    callScenario: ledger.scenario,
    layerSources: (options = {}) => ledger.layerSources(options),
    layerHistory: (layer, options = {}) => ledger.layerHistory(layer, options),
    request: ledger.request,
    diff: ledger.diff,
    replay: ledger.replay,
    ...createUsageService({ ...sums, heldCalls: approvals.heldCalls, capabilities }),
    notes: createNoteService({ context, models, clock, budgets, openState }),
    pairings,
    recall,
    budgets: budgets.report,
    foreign: programs.foreign,
    foreignSessions: programs.foreignSessions,
    approvals: approvals.waiting,
    decide: approvals.decide,
    grantedTools: approvals.grantedTools,
    revokeTool: approvals.revokeTool,
    ...toolAdmin,
    verifyAudit: (asked) => parts.checkpoints?.verify(asked) ?? examineStoredAudit(store, asked),
    auditKey: () => parts.checkpoints?.key,
    acceptance: createAcceptanceService({ policy, capabilities, acceptTool: toolAdmin.acceptTool }),
    access: createAccessService({
      ...ofHome,
      policy,
      async tools() {
        await capabilities.ready()
        return [...capabilities.turnTools().map(({ tool }) => tool), ...tools()]
      },
    }),
    configuration: createConfigurationService(ofHome),
    backups,
    setup: createModelSetup({ ...ofHome, models: parts.models, choice: models, live }),
    models: () => modelStatuses(parts.models, models, { calibration, limits }),
    model: (id) => modelView({ settings, calibration, limits }, models, id),
    async status() {
      const { running, queued } = queue.counts()
      const facts = await capabilities.status()
      return {
        version: parts.version,
        home: parts.home,
        model: await models.current(),
        running,
        queued,
        waiting: approvals.count(),
        recovered,
        // A channel warns when something goes wrong, and for as long as it is wrong.
        warnings: [
          ...new Set([
            ...capabilities.warnings(),
            ...toolConflicts(),
            ...(await toolWarnings(policy, tools())),
            ...channels.flatMap((channel) => channel.warnings?.() ?? []),
            ...limits.sentences(),
            ...(parts.checkpoints?.warnings() ?? []),
            ...latestWarnings.sentences(),
          ]),
        ].map(redact),
        started,
        facts,
      }
    },
    async reload({ now = false, session } = {}) {
      await capabilities.reload()
      const unread = await budgets.reload()
      models.forget()
      limits.forget()
      const account: AccountNext = async (options) => (await previewCall(previewParts, options)).manifest
      const folded = now ? await foldSessions({ store, clock, account }, session) : undefined
      return { warnings: [...capabilities.warnings(), ...toolConflicts(), ...unread], ...defined({ folded }) }
    },
    idle(session, signal) {
      const services = [activity, approvals, programs.foreign, recall, calibration, parts.checkpoints, store]
      return untilIdle(clock, [...services, ...capabilities.parts, ...channels], session, signal)
    },
    close() {
      closing ??= (async () => {
        await queue.stop({ cancels: endsWithCommand })
        await running.stop()
        await stopKeepRules?.()
        await programs.foreign.idle()
        await backups.close()
        await Promise.all([capabilities.stop(), calibration.idle(), recall.close()])
        budgets.close()
        policy.close?.()
        await parts.checkpoints?.close()
        await store.close()
      })()
      return closing
    },
  }
  let stopKeepRules: (() => Promise<void>) | undefined
  if (writes) {
    await budgets.fill()
    const waiting = endsWithCommand ? await approvals.turns() : undefined
    recovered = await queue.recover((turn) => waiting?.has(turn) ?? true)
    await programs.foreign.recover()
    activity.run(undefined, capabilities.recover()).catch((error: unknown) => warn(String(error)))
    recall.start()
    if (parts.keep) stopKeepRules = startKeepRules({ rules: parts.keep, data, clock, activity, programs, warn })
    if (settings.notes === 'model') notes.recover()
  }
  const running = runChannels({
    channels: writes ? channels : [],
    runtime,
    clock,
    openInbox: (channel) => openChannelInbox(join(data, 'channels', channel), warn),
    openSent: noteSent({ store, clock }),
    warn,
  })
  channelsOpen.resolve()
  return runtime
}
