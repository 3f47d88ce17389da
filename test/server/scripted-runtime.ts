import assert from 'node:assert/strict'
import { addUsage } from '../../src/capabilities/costs/usage-report.ts'
import { callFigures, layouts, type Manifest, type Scenario } from '../../src/context.ts'
import { rehearsalModel } from '../../src/capabilities/rehearsal/rehearsal-model.ts'
import { type SessionEvent, type ToolStatus } from '../../src/runtime.ts'
import {
  costService,
  type CostService,
  type ServiceKey,
  type ToolTrial,
  type SubmitInput,
  type RuntimeErrorCode,
  RuntimeError,
  type EventsOptions,
  type CompletionInput,
  type CompletionEvent,
  type RuntimeMetrics,
} from '../../src/capability.ts'
import { type Runtime } from '../home/features.ts'
import {
  type ApprovalDecision,
  type ApprovalQuestion,
  type Binding,
  type CallRecord,
  type Entry,
  type EntryBody,
  type SessionRow,
  type SessionStore,
  type TurnRow,
  turnOutcomeTypes,
} from '../../src/session.ts'
import type { RankedPassage, SearchHit } from '../../src/search.ts'
import { presentOptions } from './present-options.ts'
import { agentSchema } from '../../src/capabilities/agents/agent-record.ts'
import { projectRecordKind } from '../../src/capabilities/projects/projects.ts'
import { templateRecordKind } from '../../src/capabilities/templates/template-record.ts'
import { createEditedPrompt } from '../../src/capabilities/prompt/edited-prompt.ts'
import { createRecords } from '../../src/runtime/records.ts'
import { scriptedAcceptance, scriptedAccess } from './scripted-access.ts'
import { scriptedApprovals } from './scripted-approvals.ts'
import { scriptedLibrary } from './scripted-library.ts'
import { scriptedPairings } from './scripted-pairings.ts'
import { scriptedRecords } from './scripted-records.ts'
import { scriptedSubjects } from './scripted-subjects.ts'
import { systemClock } from '../../src/platform.ts'

/** What the scripted runtime does with an input. */
export type Script = (turn: ScriptedTurn) => Promise<void> | void

export interface ScriptedTurn {
  readonly session: string
  readonly turn: string
  readonly said: string
  readonly model: string | undefined
  /** Aborted by `cancel`. */
  readonly signal: AbortSignal
  append(...bodies: EntryBody[]): void
  text(text: string): void
  /** Asks a person about a call, and resolves with what is decided. */
  ask(toolCallId: string, request: ApprovalQuestion): Promise<ApprovalDecision>
  /** The process cannot go on with it. */
  interrupt(code: RuntimeErrorCode, message: string): void
  reasoning(text: string): void
}

export interface ScriptedRuntime extends Runtime {
  readonly submitted: SubmitInput[]
  readonly completed: CompletionInput[]
  readonly deltas: number
}

const usage = {
  promptTokens: 100,
  cachedTokens: 40,
  cacheWrittenTokens: undefined,
  outputTokens: 20,
  reasoningTokens: undefined,
}

/** Answers `You said: …` in three pieces. */
export const echo: Script = ({ turn, said, append, text }) => {
  const call = `call-${turn}`
  append({ type: 'turn-start', turn }, { type: 'assembly', turn, call })
  text('You ')
  text('said: ')
  text(said)
  append(
    { type: 'message', turn, call, message: { role: 'assistant', content: `You said: ${said}` }, tokens },
    { type: 'usage', turn, call, model: 'rehearsal', usage },
    { type: 'turn-end', turn, outcome: { type: 'completed' } },
  )
}

/** Thinks, calls a tool, reads its result, and answers. */
export const withTool: Script = ({ turn, append, text, reasoning }) => {
  const [first, second] = [`call-a-${turn}`, `call-b-${turn}`]
  append({ type: 'turn-start', turn }, { type: 'assembly', turn, call: first })
  reasoning('I should look.')
  text('Let me look.')
  append(
    {
      type: 'message',
      turn,
      call: first,
      tokens,
      message: {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'I should look.' },
          { type: 'text', text: 'Let me look.' },
          { type: 'tool-call', toolCallId: 'tool-1', toolName: 'look', input: { at: 'sky' } },
          { type: 'tool-call', toolCallId: 'tool-2', toolName: 'touch', input: {} },
        ],
      },
    },
    { type: 'usage', turn, call: first, model: 'rehearsal', usage },
    { type: 'tool-start', turn, call: first, toolCallId: 'tool-1', toolName: 'look', input: { at: 'sky' } },
    { type: 'tool-end', turn, call: first, toolCallId: 'tool-1', ok: true, output: 'blue', durationMs: 1 },
    {
      type: 'message',
      turn,
      tokens,
      message: {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'tool-1', toolName: 'look', output: { type: 'text', value: 'blue' } },
          {
            type: 'tool-result',
            toolCallId: 'tool-2',
            toolName: 'touch',
            output: { type: 'error-text', value: 'there is no tool named touch' },
          },
        ],
      },
    },
    { type: 'assembly', turn, call: second },
  )
  text('It is ')
  append(
    { type: 'message', turn, call: second, message: { role: 'assistant', content: 'It is blue.' }, tokens },
    { type: 'usage', turn, call: second, model: 'rehearsal', usage },
    { type: 'turn-end', turn, outcome: { type: 'completed' } },
  )
}

/** Calls a tool that a person has to allow; what is denied does not run. */
export const withApproval: Script = async ({ turn, append, ask }) => {
  const call = `call-${turn}`
  const input = { path: 'a.txt', text: 'two' }
  const tool = { toolCallId: 'tool-1', toolName: 'write_file' }
  append(
    { type: 'turn-start', turn },
    { type: 'assembly', turn, call },
    {
      type: 'message',
      turn,
      call,
      tokens,
      message: { role: 'assistant', content: [{ type: 'tool-call', ...tool, input }] },
    },
  )
  const decision = await ask(tool.toolCallId, { tool: tool.toolName, input, folder: '/work', diff: '-one\n+two\n' })
  const ran = decision.type === 'approve'
  const value = ran ? 'written' : `denied by a person: ${decision.reason ?? 'no reason given'}`
  if (ran) {
    append(
      { type: 'tool-start', turn, call, ...tool, input },
      { type: 'tool-end', turn, call, toolCallId: tool.toolCallId, ok: true, output: value, durationMs: 1 },
    )
  }
  append(
    {
      type: 'message',
      turn,
      tokens,
      message: {
        role: 'tool',
        content: [{ type: 'tool-result', ...tool, output: { type: ran ? 'text' : 'error-text', value } }],
      },
    },
    { type: 'assembly', turn, call: `${call}-b` },
  )
  append(
    { type: 'message', turn, call: `${call}-b`, message: { role: 'assistant', content: 'Done.' }, tokens },
    { type: 'turn-end', turn, outcome: { type: 'completed' } },
  )
}

/** Fails before a word was said. */
export const failing =
  (code: string, message: string): Script =>
  ({ turn, append }) =>
    append(
      { type: 'turn-start', turn },
      { type: 'assembly', turn, call: `call-${turn}` },
      { type: 'turn-end', turn, outcome: { type: 'failed', code, message } },
    )

export interface ScriptedOptions {
  readonly script?: Script
  readonly complete?: (input: CompletionInput) => AsyncGenerator<CompletionEvent>
  /** Thrown by `submit`. */
  readonly refuse?: Error
}

/** A note on a turn, as an index. */
const scriptedNote = {
  id: 'note-1234567890',
  content: `sha256:${'0'.repeat(64)}`,
  from: 'turn-2',
  to: 'turn-2',
  turns: 1,
  text: '[1 turn of this conversation not shown]',
  tokens: 9,
} as const

/** A runtime in memory that does what a test tells it to. */
export function scriptedRuntime({ script = echo, complete, refuse }: ScriptedOptions = {}): ScriptedRuntime {
  const logs = new Map<string, SessionEvent[]>()
  const rows = new Map<string, ScriptedSession>()
  const bindings = new Map<string, string>()
  const keys = new Map<string, { session: string; turn: string; seq: number }>()
  const running = new Map<string, AbortController>()
  const listeners = new Set<() => void>()
  const submitted: SubmitInput[] = []
  const completed: CompletionInput[] = []
  let ids = 0
  const approvals = scriptedApprovals((session, body) => append(session, body), time)

  const entriesOf = (session: string): Entry[] =>
    (logs.get(session) ?? []).flatMap((event) => (event.type === 'entry' ? [event.entry] : []))
  const append = (session: string, ...bodies: EntryBody[]): void => {
    const log = logs.get(session)!
    for (const body of bodies) {
      const seq = entriesOf(session).length + 1
      log.push({ id: String(seq), type: 'entry', entry: { ...body, session, seq, time } })
    }
    for (const listener of listeners) listener()
  }
  const delta = (session: string, turn: string, type: 'text-delta' | 'reasoning-delta', text: string): void => {
    const log = logs.get(session)!
    const before = entriesOf(session).length
    const nth = log.filter(({ id }) => id.startsWith(`${before}.`)).length + 1
    log.push({ id: `${before}.${nth}`, type, turn, call: `call-${turn}`, text })
    for (const listener of listeners) listener()
  }
  const makeSession = (options: ScriptedSession = {}): string => {
    const session = `session-${++ids}`
    logs.set(session, [])
    rows.set(session, options)
    append(session, { type: 'session-start' })
    return session
  }
  const rowOf = (id: string): SessionRow | undefined => {
    const row = rows.get(id)
    return (
      row && {
        id,
        title: row.title,
        opening: undefined,
        folder: undefined,
        pinned: false,
        state: 'new',
        model: row.model,
        binding: row.binding,
        choices: Object.fromEntries(
          (['agent', 'project', 'subject'] as const).flatMap((name) => {
            const value = row[name]
            return value === undefined ? [] : [[name, value] as const]
          }),
        ),
        created: time,
        updated: time,
        turns: 0,
        entries: entriesOf(id).length,
      }
    )
  }
  const turnRow = (session: string, turn: string): TurnRow | undefined => {
    const own = entriesOf(session).filter((entry) => 'turn' in entry && entry.turn === turn)
    if (own.length === 0) return undefined
    const end = own.find((entry) => entry.type === 'turn-end')
    const state = end === undefined ? 'running' : end.outcome.type
    const [firstSeq, lastSeq] = [own[0]!.seq, own.at(-1)!.seq]
    const counts = { tokens: 1, leastTokens: 1, tokensBefore: 0 }
    return { session, turn, ordinal: 1, firstSeq, lastSeq, state, inputTime: time, ...counts }
  }
  const turnsOf = (session: string): TurnRow[] =>
    entriesOf(session)
      .flatMap((entry) => (entry.type === 'input' ? [turnRow(session, entry.turn)!] : []))
      .toReversed()
  const call = (id: string): CallRecord | undefined =>
    id.startsWith('call-')
      ? { id, time, model: 'rehearsal', input: {}, manifest, requestDigest: 'd'.repeat(64) }
      : undefined

  const records = scriptedRecords()
  const memory = records as SessionStore
  const clock = { ...systemClock, time: () => time, newId: (kind: string) => `${kind}-${++ids}` }
  const agents = createRecords(
    { store: memory, clock },
    { kind: 'agent', schema: agentSchema(Object.keys(layouts)), nameOf: ({ name }) => name },
  )
  const projects = createRecords({ store: memory, clock }, projectRecordKind)
  const templates = createRecords({ store: memory, clock }, templateRecordKind)
  const { subjects, proposals, summariseNotes } = scriptedSubjects(time)
  const existingSubject = async (subject: string): Promise<void> => {
    const there = (await subjects.list()).some(({ id }) => id === subject)
    if (!there) throw new RuntimeError('not-found', `There is no subject ${subject}.`, { subject })
  }
  const store: Partial<SessionStore> = {
    clock,
    failed: new Promise(() => {}),
    ...records,
    entries: async (session, { after = 0, upTo = Infinity, limit, turn } = {}) =>
      entriesOf(session)
        .filter(
          (entry) =>
            entry.seq > after && entry.seq <= upTo && (turn === undefined || ('turn' in entry && entry.turn === turn)),
        )
        .slice(0, limit),
    session: async (id) => rowOf(id),
    sessionFolders: async () => [],
    sessions: async ({ limit = 50, offset = 0, beginning = '' } = {}) =>
      [...rows.keys()]
        .filter((id) => id.startsWith(beginning))
        .slice(offset, offset + limit)
        .map((id) => rowOf(id)!),
    turn: async (session, turn) => turnRow(session, turn),
    turns: async (session) => turnsOf(session),
    bound: async ({ channel, conversation }) => bindings.get(`${channel}/${conversation}`),
    call: async (id) => call(id),
    audit: async () => [{ number: 1, time, kind: 'change', previous: '0'.repeat(64), hash: 'f'.repeat(64) }],
    findCalls: async ({ beginning = '' }) =>
      [...rows.keys()]
        .flatMap((session) => entriesOf(session))
        .flatMap((entry) => (entry.type === 'assembly' ? [call(entry.call)!] : []))
        .filter(({ id }) => id.startsWith(beginning)),
    calls: async (session) =>
      entriesOf(session).flatMap((entry) => (entry.type === 'assembly' ? [call(entry.call)!] : [])),
  }

  const forgotten = new Set<string>()
  const runtime: ScriptedRuntime = {
    store: store as SessionStore,
    submitted,
    completed,
    deltas: 0,
    submit: async (input) => {
      submitted.push(input)
      if (refuse) throw refuse
      const known = keys.get(input.idempotencyKey ?? '')
      if (known) return { ...known, repeated: true }
      const session = input.session ?? makeSession()
      if (!logs.has(session)) throw new RuntimeError('not-found', `There is no session ${session}.`, { session })
      const turn = `turn-${++ids}`
      append(session, { type: 'input', turn, message: { role: 'user', content: input.text }, tokens })
      const seq = entriesOf(session).length
      if (input.idempotencyKey) keys.set(input.idempotencyKey, { session, turn, seq })
      const controller = new AbortController()
      running.set(turn, controller)
      setImmediate(
        () =>
          void script({
            session,
            turn,
            said: input.text,
            model: input.model,
            signal: controller.signal,
            append: (...bodies) => append(session, ...bodies),
            text: (text) => delta(session, turn, 'text-delta', text),
            ask: (toolCallId, request) => approvals.ask({ session, turn, call: `call-${turn}`, toolCallId }, request),
            interrupt: (code, message) => {
              logs.get(session)!.push({ id: `${entriesOf(session).length}`, type: 'interrupted', turn, code, message })
              for (const listener of listeners) listener()
            },
            reasoning: (text) => delta(session, turn, 'reasoning-delta', text),
          }),
      )
      return { session, turn, seq, repeated: false }
    },
    memory: async (session, input = '') => {
      if (!rowOf(session)) throw new RuntimeError('not-found', `There is no session ${session}.`, { session })
      const layer = {
        id: 'memory' as const,
        text: `# Memory\n${input}`,
        tokens: 4,
        from: ['session-0'],
        origin: 'session session-0',
      }
      return {
        session,
        on: { previousSession: true, toolHistory: false },
        layers: [layer],
        forgotten: forgotten.has(session),
      }
    },
    forgetMemory: async (session) => {
      if (!rowOf(session)) throw new RuntimeError('not-found', `There is no session ${session}.`, { session })
      forgotten.add(session)
    },
    foreign: {
      server: () => undefined,
      receive: () => assert.fail('no body of another program is expected'),
      begin: () => assert.fail('no call of another program is expected'),
      state: () => ({ open: 0, recorded: 0, lost: 0 }),
      idle: () => undefined,
    },
    foreignSessions: {
      programs: async () => new Map(),
      exchanges: async () => [],
      findings: async (session) => ({ session, calls: 0, sum: { tokens: 0 }, findings: [], agents: [] }),
      parts: async () => ({ manifest, pieces: [], messages: [] }),
    },
    withdraw: async () => false,
    editWaiting: async () => {},
    cancel: async (session, turn) => {
      const controller = running.get(turn)
      if (!controller || turnRow(session, turn)?.state !== 'running') return false
      controller.abort()
      append(session, { type: 'turn-end', turn, outcome: { type: 'cancelled' } })
      return true
    },
    events: async function* (session, { after, turn, signal }: EventsOptions) {
      const log = logs.get(session) ?? []
      let at = after === 'live' ? log.length : log.findIndex(({ id }) => id === after) + 1
      for (;;) {
        if (signal?.aborted) return
        while (at < log.length) {
          const event = log[at++]!
          const own = event.type === 'entry' ? 'turn' in event.entry && event.entry.turn : event.turn
          if (turn !== undefined && own !== turn) continue
          yield event
          if (signal?.aborted) return
          if (turn === undefined) continue
          if (event.type === 'interrupted') return
          if (event.type === 'entry' && event.entry.type === 'turn-end') return
        }
        await new Promise<void>((resolve) => {
          const done = () => {
            listeners.delete(done)
            signal?.removeEventListener('abort', done)
            resolve()
          }
          listeners.add(done)
          signal?.addEventListener('abort', done)
        })
      }
    },
    async waitForTurn(session, turn, signal) {
      for await (const _ of this.events(session, { turn, signal }));
    },
    async newSession(options = {}) {
      if (options.agent !== undefined) await agents.get(options.agent)
      if (options.project !== undefined) await projects.get(options.project)
      if (options.subject !== undefined) await existingSubject(options.subject)
      return rowOf(makeSession(options))!
    },
    sessionFor: async (binding) => {
      const key = `${binding.channel}/${binding.conversation}`
      const session = bindings.get(key) ?? makeSession({ binding })
      bindings.set(key, session)
      return session
    },
    setModel: async (session, model) => {
      const { model: _before, ...row } = rows.get(session) ?? {}
      rows.set(session, model === undefined ? row : { ...row, model })
    },
    async setAgent(session, agent) {
      if (agent !== undefined) await agents.get(agent)
      const { agent: _before, ...row } = rows.get(session) ?? {}
      rows.set(session, agent === undefined ? row : { ...row, agent })
    },
    async setProject(session, project) {
      if (project !== undefined) await projects.get(project)
      const { project: _before, ...row } = rows.get(session) ?? {}
      rows.set(session, project === undefined ? row : { ...row, project })
    },
    async setSubject(session, subject) {
      if (subject !== undefined) await existingSubject(subject)
      const { subject: _before, ...row } = rows.get(session) ?? {}
      rows.set(session, subject === undefined ? row : { ...row, subject })
    },
    label: () => Promise.reject(new Error('not scripted')),
    importSession: () => Promise.reject(new Error('not scripted')),
    choiceOptions: (choice) => presentOptions({ agents, projects, subjects }, choice),
    prompt: createEditedPrompt(memory, clock),
    agents,
    projects,
    templates,
    subjects,
    proposals,
    summariseNotes,
    pairings: scriptedPairings(time),
    notes: {
      list: async () => ({ notes: [scriptedNote], first: ['turn-1'] }),
      forget: async () => 1,
      write: async () => scriptedNote,
    },
    library: scriptedLibrary(time),
    recall: {
      find: async ({ text, sessions }) => ({
        passages: text.includes('boat') ? [passageOf(sessions?.[0] ?? 'session-1')] : [],
        found: text.includes('boat') ? 'words' : 'nothing',
        missing: text.includes('boat') ? [] : [text],
        nearest: [],
        complete: true,
      }),
      conversationSessions: async (session) => [session],
    },
    search: async ({ text, project, limit = 10, by }) => ({
      hits:
        project === undefined && by !== 'meaning'
          ? found.filter(({ chunk }) => chunk.text.includes(text)).slice(0, limit)
          : [],
      ...(text === 'embedder down' ? { degraded: 'Found by words alone: the embedding model x: no answer.' } : {}),
      progress: { documents: 2, indexed: 1, chunks: 3, embedded: text === 'spring' && by !== undefined ? 3 : 0 },
    }),
    undo: async (session) => {
      const last = turnsOf(session)[0]
      if (last === undefined) throw new RuntimeError('not-found', `Session ${session} has no turn to undo.`)
      return { session, turn: last.turn, text: 'hello', head: undefined }
    },
    goOnFrom: async (session, turn) => {
      if (!rows.has(session)) throw new RuntimeError('not-found', `There is no session ${session}.`)
      if (turn !== null && turnsOf(session).every((row) => row.turn !== turn)) {
        throw new RuntimeError('not-found', `Session ${session} has no turn ${turn}.`, { session, turn })
      }
    },
    branches: async (session) => {
      if (!rows.has(session)) throw new RuntimeError('not-found', `There is no session ${session}.`)
      return []
    },
    deleteSession: async (session) => rows.delete(session) && logs.delete(session),
    completionSize: async ({ messages, tools = [] }) => ({
      model: 'rehearsal',
      tokens: messages.length * 10 + tools.length,
    }),
    embeddings: async (model, body) => ({ object: 'list', data: [], model, body }),
    complete: async function* (input) {
      completed.push(input)
      if (complete) return yield* complete(input)
      yield { type: 'call-start', call: 'call-own', model: 'rehearsal' }
      yield { type: 'text-delta', text: 'Hel' }
      yield { type: 'text-delta', text: 'lo' }
      yield { type: 'finish', reason: 'stop', usage }
    },
    preview: async ({ input, model = 'rehearsal' }) => ({
      model,
      request: { tools: [], messages: [{ role: 'user', content: input ?? '' }] },
      manifest,
      figures: callFigures(manifest, { price: undefined }),
    }),
    request: async (id) => {
      const record = call(id)
      if (!record) throw new RuntimeError('not-found', `There is no call ${id}.`, { call: id })
      return { call: record, request: { tools: [], messages: [] }, digest: record.requestDigest, identical: true }
    },
    diff: async () => ({
      came: [],
      went: [],
      moved: [],
      changedForm: [],
      changedContent: [],
      commonPrefix: { tokens: 12, pieces: 1 },
      why: 'The two requests are the same.',
    }),
    nextScenario: async () => scenario,
    callScenario: async () => scenario,
    layerSources: async () => ({ calls: 0, sources: [] }),
    budgets: async () => [],
    priceOf: async () => undefined,
    layerHistory: async (layer) => ({ layer, calls: 0, versions: [] }),
    replay: async (session) => ({ session, calls: 1, identical: 1, different: [] }),
    approvals: async () => approvals.waiting(),
    decide: approvals.decide,
    grantedTools: async () => [{ tool: 'mail', turn: 'turn-1', time, by: 'cli' }],
    revokeTool: async (session, tool) => {
      if (tool !== 'mail') throw new RuntimeError('not-found', `${tool} is not approved for the session ${session}.`)
    },
    tools: async () => tools,
    planTool: async (tool, input) => trialOf(tool, input),
    runTool: async (tool, input, digest) => {
      const trial = trialOf(tool, input)
      if (trial.type === 'refused') return { ok: false, error: trial.error }
      if (trial.digest !== digest) throw new RuntimeError('decided', 'It would do something else by now.')
      return { ok: true, output: 'clean', meta: { exitCode: 0 } }
    },
    acceptTool: async (tool, digest) => tool === 'files__read' && digest === 'digest-of-definition',
    choose: async () => {},
    capability: <Service>({ name }: ServiceKey<Service>) =>
      name === costService.name ? (scriptedCosts as Service) : undefined,
    verifyAudit: async () => ({ type: 'whole', records: 3, checkpoints: { targets: [], restores: [] } }),
    auditKey: () => undefined,
    acceptance: scriptedAcceptance(),
    access: scriptedAccess(),
    configuration: {
      value: async () => ({ written: undefined, effective: undefined, digest: 'd' }),
      preview: async () => ({ digest: 'd', difference: '', problems: [] }),
      set: async () => {},
      versions: async () => [],
    },
    setup: {
      options: async () => ({ ready: true, model: { id: 'rehearsal', why: 'scripted' }, providers: [] }),
      attach: async ({ kind }) => ({ name: kind, models: [`${kind}/one`] }),
      chooseModel: async () => {},
      setFallback: async () => {},
    },
    models: async () => [
      { id: 'rehearsal', provider: 'rehearsal', ready: true, current: true },
      { id: 'ollama/llama3.2', provider: 'ollama', ready: false, why: 'it is not running', current: false },
    ],
    model: async (id = 'rehearsal') => {
      if (id !== 'rehearsal') throw new RuntimeError('model-not-found', `There is no model ${id}.`)
      return { id, facts: rehearsalModel(systemClock).facts, window: 128_000, reserve: 8_192 }
    },
    status: async () => ({
      version: '0.1.0',
      home: '/srv/foreword',
      model: { id: 'rehearsal', why: 'nothing is configured' },
      running: 0,
      queued: 0,
      waiting: approvals.waiting().length,
      recovered: 0,
      warnings: [],
      started: time,
      facts: {},
    }),
    unready: async () => undefined,
    metrics: async () => ({
      started: time,
      turns: Object.fromEntries(turnOutcomeTypes.map((type) => [type, 0])) as RuntimeMetrics['turns'],
      calls: [],
      running: 0,
      queued: 0,
      waiting: 0,
      breakers: [],
      storeBytes: 0,
    }),
    reload: async () => ({ warnings: [] }),
    idle: async () => {},
    close: async () => {},
  }
  return runtime
}

type ScriptedSession = Partial<Record<'title' | 'model' | 'agent' | 'project' | 'subject', string>> & {
  readonly binding?: Binding
}

const found: readonly SearchHit[] = [
  {
    document: 'file-1',
    title: 'Tides of the North Sea.pdf',
    chunk: {
      id: '1',
      text: 'At spring tide the water stands highest, and at neap tide lowest.',
      start: 10,
      end: 75,
      page: 3,
      line: 12,
      headings: ['Tides', 'Moon'],
    },
    score: 0.0325,
    ranks: [
      { by: 'words', rank: 1, value: 4.2 },
      { by: 'meaning', rank: 2, value: 0.81 },
    ],
  },
]

function trialOf(tool: string, input: unknown): ToolTrial {
  if (!tools.some(({ name }) => name === tool)) {
    throw new RuntimeError('not-found', `There is no tool ${tool}.`, { tool })
  }
  if (tool !== 'shell') return { type: 'refused', rule: 'not-allowed', error: `Tool is not in allowlist: ${tool}` }
  const call = { tool, input, argv: ['git', 'status'], folder: '/work' }
  return { type: 'ask', rule: 'tools.shell.approval=ask', call, digest: `digest-of-${JSON.stringify(input)}` }
}

const tools: readonly ToolStatus[] = [
  {
    name: 'shell',
    description: 'Runs a command.',
    inputSchema: { type: 'object', properties: { cmd: { type: 'string' } } },
    from: 'shell',
    access: 'ask',
    rule: 'tools.shell.approval=ask',
  },
  {
    name: 'files__read',
    inputSchema: { type: 'object' },
    from: 'mcp',
    access: 'refused',
    rule: 'global.mode=allowlist',
    reason: 'Tool is not in allowlist: files__read',
    withheld: {
      name: 'files__read',
      accepted: { name: 'files__read', description: 'Reads.', inputSchema: { type: 'object' } },
      offered: { name: 'files__read', description: 'Reads, and sends.', inputSchema: { type: 'object' } },
      digest: 'digest-of-definition',
    },
  },
]

const time = '2026-11-20T10:00:00.000Z'
const tokens = { counter: 'tokenx@2', full: 1, least: 1 }

const manifest: Manifest = {
  version: 1,
  layout: 'auto',
  counter: { id: 'tokenx', version: '2' },
  budget: { window: 1000, reserve: 100, margin: 0, available: 900 },
  used: 12,
  slots: { tools: 0, system: 0, preamble: 0, history: 0, 'before-input': 0, input: 12, 'after-input': 0 },
  entries: [
    {
      id: 'turn-1',
      layer: 'turn-1',
      slot: 'input',
      outcome: 'included',
      form: 'full',
      tokens: 12,
      fullTokens: 12,
      origin: { kind: 'user', ref: 'turn-1' },
    },
  ],
  displaced: 0,
}

function passageOf(session: string): RankedPassage {
  return {
    session,
    turn: 'turn-4',
    ordinal: 4,
    seq: 12,
    time: '2026-01-05T10:00:00.000Z',
    kind: 'message',
    role: 'assistant',
    text: 'The boat is called Seute Deern.',
    start: 0,
    end: 31,
    length: 31,
    matched: ['boat', 'called'],
    hits: ['boat', 'called'],
    score: 3.2,
    before: { ordinal: 4, role: 'user', text: 'What did I name it?' },
  }
}

const scenario: Scenario = {
  name: 'next call',
  layout: 'auto',
  budget: { window: 100, reserve: 10, margin: 0 },
  counter: 'chars',
  layers: [],
  history: [],
  current: { id: 'next-turn', messages: [] },
  attachments: [],
  tools: [],
}

/** Of a home without calls. */
const scriptedCosts: CostService = {
  sessionCosts: async () => new Map(),
  costs: async ({ by, zone = 'UTC' }) => ({
    by,
    zone,
    total: { calls: 0, unpriced: 0, nanoDollars: 0, savedNanoDollars: 0 },
    rows: [],
  }),
  usage: async ({ zone = 'UTC' }) => ({ by: 'day', zone, total: addUsage([]), rows: [] }),
}
