import { presentOptions } from './present-options.ts'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readHistoryTool, readResultTool } from '../agent.ts'
import type { Models } from '../model.ts'
import type { Clock, CompletionInput, RunningPlugins } from '../capability.ts'
import type { Recall } from '../search.ts'
import { type InputOptions, type SessionStore, verifyAudit } from '../session.ts'
import { createToolbox, type Tool } from '../tool.ts'
import { admit } from './sessions/admission.ts'
import { createApprovalDesk } from './tools/approvals.ts'
import { openCalibrationBook } from './models/calibration-book.ts'
import { openChannelInbox } from './channels/channel-inbox.ts'
import { runChannels } from './channels/channel-run.ts'
import { noteSent } from './channels/channel-sent.ts'
import { type Channel, fileLibrary, type ServiceKey } from '../capability.ts'
import { complete } from './completions/completion.ts'
import type { Runtime } from './contract.ts'
import { RuntimeError } from '../capability/runtime-error.ts'
import { counters, remembering } from './models/counters.ts'
import { openLearnedLimits } from './models/learned-limits.ts'
import { createLedger } from './ledger/ledger.ts'
import { agentKind, type AgentValue, projectKind, type ProjectValue } from '../capabilities/agents/custom-agents.ts'
import { createEditedPrompt } from '../capabilities/prompt/edited-prompt.ts'
import { homeAt } from './home/home.ts'
import { type FileRoom, openFileRoom } from '../capabilities/files/file-room.ts'
import { createMemory } from '../capabilities/memory/core/memory.ts'
import { usualMemory } from '../capabilities/memory/core/memory-settings.ts'
import { createModelChoice } from './models/model-choice.ts'
import { modelStatuses } from './models/model-status.ts'
import { modelView } from './models/model-view.ts'
import { createOutbox } from './channels/outbox.ts'
import { createPairings } from './channels/pairings.ts'
import type { Workbench } from './calls/workbench.ts'
import { prepareTurn, type SaidInTurn } from './turns/prepare-turn.ts'
import { preview } from './turns/preview.ts'
import { createRecords } from './records.ts'
import { openRecall } from './recall/open-recall.ts'
import { searchFiles } from '../capabilities/files/search-files.ts'
import { createDesks, type SessionDesk } from './sessions/session-desk.ts'
import { createBacklogBudget } from './sessions/backlog-budget.ts'
import { sessionEvents } from './sessions/session-events.ts'
import { createSessions } from './sessions/sessions.ts'
import { openSubjectRoom, type SubjectRoom } from '../capabilities/subjects/subject-room.ts'
import { createToolDoors } from './tools/tool-doors.ts'
import { allowedTools, type ToolPolicy, toolWarnings } from './tools/tool-policy.ts'
import { retryRule, type RuntimeSettings } from './settings.ts'
import { runtimeFailure } from './runtime-failure.ts'
import { createTurnShelf } from './turns/turn-shelf.ts'
import { createTurnQueue } from './turns/turn-queue.ts'
import { createWireProver } from './ledger/wire-proof.ts'

/** Everything a runtime is made of. It closes the store and stops the plugins when it is closed. */
export interface RuntimeParts {
  readonly version: string
  readonly home: string
  readonly store: SessionStore
  readonly models: Models
  readonly plugins: RunningPlugins
  readonly settings: RuntimeSettings
  readonly clock: Clock
  /** Files that people hand in, and their index; beside the store in the home where absent. */
  readonly files?: FileRoom
  /** File of the index of the history, or `:memory:`; beside the store in the home where absent. */
  readonly historyIndex?: string
  /** Time zone of the dates in a search of the history. This machine's where absent. */
  readonly timeZone?: string
  /** Subjects and tastes; the folders of the home where absent. */
  readonly subjects?: SubjectRoom
  /** Says what may run. Nothing else does. */
  readonly policy: ToolPolicy
  /** Tools besides those of the plugins. */
  readonly tools?: readonly Tool[]
  readonly channels?: readonly Channel[]
  /** What was wrong before there was a runtime, for its status. */
  readonly warnings?: readonly string[]
  /** Sentences for the operator. */
  readonly warn?: (text: string) => void
  /** Whether turns that a former process left are taken up. */
  readonly recovers?: boolean
}

/** Sentences that `status` shows: the newest. */
const MOST_WARNINGS = 100

/** Puts a runtime together and takes up what a former process left. */
export async function createRuntime(parts: RuntimeParts): Promise<Runtime> {
  const { store, plugins, clock, channels = [] } = parts
  const policy: ToolPolicy = {
    current: () => parts.policy.current(),
    withheld: () => new Set(plugins.withheld().map(({ name }) => name)),
  }
  const told = new Set<string>(parts.warnings)
  const warn = (text: string) => {
    told.delete(text)
    told.add(text)
    if (told.size > MOST_WARNINGS) told.delete(told.values().next().value!)
    parts.warn?.(text)
  }
  const settings = { ...parts.settings, counter: remembering(parts.settings.counter) }
  const shelf = createTurnShelf()
  const recall = openRecall({
    store,
    path: parts.historyIndex ?? join(homeAt(parts.home).data, 'history.sqlite'),
    ...(parts.timeZone === undefined ? {} : { timeZone: parts.timeZone }),
    warn,
  })
  const history: Recall = {
    find: (query) => recall.find(query),
    conversationOf: (session) => memory.conversationOf(session),
  }
  const readers = [readResultTool(store), readHistoryTool(store, history)]
  const calibration = await openCalibrationBook(store, warn)
  const limits = await openLearnedLimits(store, clock, warn)
  const tools = () => [...plugins.tools(), ...(parts.tools ?? []), ...readers]
  const allowed = (all: readonly Tool[]) => allowedTools(policy, createToolbox(all).tools)
  const bench = (): Workbench => ({
    store,
    settings,
    calibration,
    limits,
    shelf,
    layers: (context) => plugins.layers(context),
    allowedTools: () => allowed(tools()),
  })
  const models = createModelChoice(parts.models, settings.model, warn)
  const desks = createDesks(store)
  const channelsOpen = Promise.withResolvers<void>()
  const outbox = createOutbox(store, channels, clock, warn, { opens: channelsOpen.promise, patienceMs: 2_000 })
  const approvals = createApprovalDesk({ store, desks, clock })
  const kept = { store, clock }
  const agents = createRecords<AgentValue>(kept, {
    ...agentKind,
    async check({ model }, before) {
      if (model !== undefined && model !== before?.model) await models.assertKnown(model)
    },
  })
  const projects = createRecords<ProjectValue>(kept, projectKind)
  const prompt = createEditedPrompt(kept)
  const files = parts.files ?? fileRoomIn(parts, warn)
  const { library, engine } = files
  const ledger = createLedger(store, counters, () => createWireProver(models, library))
  const { fingerprintOf } = ledger
  const subjectRoom = parts.subjects ?? subjectRoomIn(parts, (input) => completed(input), warn)
  const { subjects, proposals } = subjectRoom
  const pairings = createPairings({ store, clock, random: randomBytes })
  const memory = createMemory({
    store,
    clock,
    settings: settings.memory ?? usualMemory,
    layout: settings.layout,
    counter: settings.counter,
    complete: (input) => completed(input),
    recall,
    warn,
  })
  const prepare = async (desk: Partial<SessionDesk>, asked: InputOptions, said: SaidInTurn) => {
    await plugins.ready()
    const sources = { prompt, agents, projects, subjects, library, engine, memory }
    return prepareTurn({ ...sources, models, bench, tools, allowed }, desk, asked, said)
  }
  const queue = createTurnQueue({
    store,
    prepare,
    policy,
    approvals,
    library,
    desks,
    outbox,
    clock,
    retries: retryRule(settings),
    warn,
    storageRetryDelaysMs: settings.storageRetryDelaysMs,
    fingerprintOf,
  })
  const backlogs = createBacklogBudget()
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
    agents,
    projects,
    subjects,
    async forgetFiles(session) {
      for (const { id } of await library.files({ type: 'session', id: session })) await library.remove(id)
    },
    forgetHistory: (session) => recall.forget(session),
    begun: memory.askAhead,
    forgetMemory: memory.sessionDeleted,
    refuseWhenClosing,
  })
  const recovered = parts.recovers === false ? 0 : await queue.recover()
  if (parts.recovers !== false) void files.recover().catch((error: unknown) => warn(String(error)))
  if (parts.recovers !== false) recall.start()

  async function* completed(input: CompletionInput): ReturnType<Runtime['complete']> {
    refuseWhenClosing()
    yield* complete({ bench: bench(), models, clock }, input)
  }

  const runtime: Runtime = {
    store,
    async submit(input) {
      refuseWhenClosing()
      if (input.model !== undefined) await models.assertKnown(input.model)
      const { desk, submitted } = await admit({ store, desks, settings, clock, library }, input)
      if (!submitted.repeated) queue.add(desk, submitted.turn)
      return submitted
    },
    cancel: async (session, turn) => queue.cancel(await deskOf(session), turn),
    async *events(session, options) {
      const desk = await deskOf(session)
      const { turn } = options
      if (turn !== undefined && !desk.live.has(turn) && !(await store.turn(session, turn))) {
        throw new RuntimeError('not-found', `The session ${session} has no turn ${turn}.`, { session, turn })
      }
      yield* sessionEvents(store, desk, options, backlogs)
    },
    ...sessions,
    async choose(session, { agent, project, subject }) {
      if (agent !== undefined) await sessions.setAgent(session, agent ?? undefined)
      if (project !== undefined) await sessions.setProject(session, project ?? undefined)
      if (subject !== undefined) await sessions.setSubject(session, subject ?? undefined)
    },
    choiceOptions: (choice) => presentOptions({ agents, projects, subjects }, choice),
    // The key says the type.
    capability: <Service>({ name }: ServiceKey<Service>) =>
      name === fileLibrary.name ? (library as Service) : undefined,
    complete: completed,
    async preview(options) {
      try {
        return await preview({ prepare, desks, clock, library }, options)
      } catch (error) {
        throw runtimeFailure(error)
      }
    },
    request: ledger.request,
    diff: ledger.diff,
    replay: ledger.replay,
    prompt,
    agents,
    projects,
    subjects,
    proposals,
    summariseNotes: subjectRoom.summariseNotes,
    pairings,
    memory: (session, input = '') => memory.show(session, input),
    forgetMemory: memory.forget,
    library,
    search: (query) => searchFiles(library, engine, query),
    recall,
    approvals: approvals.waiting,
    decide: approvals.decide,
    ...createToolDoors({ store, plugins, policy, settings, clock, tools }),
    verifyAudit: () => verifyAudit(store),
    models: () => modelStatuses(parts.models, models, { calibration, limits }),
    model: (id) => modelView({ settings, calibration, limits }, models, id),
    async status() {
      const { running, queued } = queue.counts()
      const meaning = await files.meaning()
      const skills = loadedSkillCount(plugins)
      return {
        ...(meaning ? { meaning } : {}),
        version: parts.version,
        home: parts.home,
        model: await models.current(),
        running,
        queued,
        waiting: approvals.count(),
        recovered,
        ...(skills === undefined ? {} : { skills }),
        warnings: distinct([
          ...plugins.warnings(),
          ...(await toolWarnings(policy, tools())),
          ...channels.flatMap((channel) => channel.warnings?.() ?? []),
          ...limits.sentences(),
          ...(meaning?.degraded ? [`Files are searched by words alone: ${meaning.degraded}`] : []),
          ...told,
        ]),
        started,
        facts: {},
      }
    },
    async reload() {
      await plugins.reload()
      models.forget()
      limits.forget()
      return { warnings: plugins.warnings() }
    },
    close() {
      closing ??= (async () => {
        await queue.stop()
        await running.stop()
        await Promise.all([
          plugins.stop(),
          calibration.close(),
          files.close(),
          subjectRoom.close(),
          recall.close(),
          memory.close(),
        ])
        await store.close()
      })()
      return closing
    },
  }
  const running = runChannels({
    channels: parts.recovers === false ? [] : channels,
    runtime,
    inboxOf: (channel) => openChannelInbox(join(homeAt(parts.home).data, 'channels', channel), warn),
    sentOf: noteSent({ store, clock }),
    warn,
  })
  channelsOpen.resolve()
  return runtime
}

function fileRoomIn({ store, home, clock, settings, recovers }: RuntimeParts, warn: (text: string) => void): FileRoom {
  const readOnly = recovers === false
  return openFileRoom({ store, data: join(home, 'data'), clock, counter: settings.counter, readOnly, warn })
}

function subjectRoomIn(
  { store, home, clock, recovers }: RuntimeParts,
  asks: Runtime['complete'],
  warn: (text: string) => void,
): SubjectRoom {
  return openSubjectRoom({
    store,
    clock,
    directory: join(home, 'subjects'),
    tastes: join(home, 'tastes'),
    maxTextChars: 20_000,
    summarize: false,
    asksByItself: recovers !== false,
    complete: asks,
    warn,
  })
}

/** A channel says what is wrong when it comes to be, and for as long as it is. */
function distinct(sentences: readonly string[]): readonly string[] {
  return [...new Set(sentences)]
}

/** Of the capability that loads skills from folders. */
function loadedSkillCount({ plugins }: RunningPlugins): number | undefined {
  const found = plugins.find(({ name }) => name === 'skills') as { status?(): { skills?: number } } | undefined
  return found?.status?.().skills
}
