import {
  type CapabilityHost,
  type Records,
  RuntimeError,
  type StoredRecord,
  type SubmitInput,
} from '../../capability.ts'
import { createActivity, defined, errorMessage, ForewordError, keyedQueue } from '../../platform.ts'
import {
  conditionDigest,
  parseCondition,
  planProgram,
  changedSchedule,
  type NewSchedule,
  newScheduleSchema,
  readSchedule,
  type ScheduleChange,
  scheduleRecordKind,
  type ScheduleValue,
  type PendingRun,
  type ScheduleRun,
  type ScheduleState,
  scheduleStates,
  withRun,
} from './schedule-record.ts'
import type { ScheduleView } from './run-view.ts'
import { type DueTimes, dueTimes, parseTimeRule } from './time/time-rule.ts'

/** Whether schedules send messages, and for whom. */
export interface ScheduleRules {
  readonly enabled: boolean
  /** The home is that of a person, who knows no files and programs of this machine. */
  readonly ofPerson?: true
}

export type Schedules = ReturnType<typeof openSchedules>

type Stored = StoredRecord<ScheduleValue> & { readonly value: ScheduleValue }

/** The most schedules of a person beside the owner. */
const MOST_OF_PERSON = 20
/** So late, ms, a run is not late: the machine was busy. */
const LATE_MS = 60_000
/** The most runs that come of due times that were missed. */
const MOST_MISSED = 100
/** So far ahead, ms, a decided time shows that the clock of the machine was wrong, and was not just set back. */
const AHEAD_MS = 86_400_000
/** The clock of the machine may be set: it is looked at again after so many ms at the latest. */
const LONGEST_WAIT_MS = 60_000

export function openSchedules(host: CapabilityHost<ScheduleRules>) {
  const { clock, store } = host
  const records: Records<ScheduleValue> = host.records(scheduleRecordKind)
  const states = scheduleStates(store)
  const changes = keyedQueue<string>()
  const activity = createActivity()
  const end = new AbortController()
  let changed = Promise.withResolvers<void>()
  let loop: Promise<void> | undefined
  const now = () => Date.parse(clock.time())

  const stateOf = ({ id, time }: Stored) => states.read(id, time)

  /** Sends what was decided, which may have been sent before: the key makes that the same message. */
  async function send(schedule: Stored, state: ScheduleState, pending: PendingRun): Promise<ScheduleState> {
    const { key, due, by, digest } = pending
    const result = await submit(schedule.id, pending)
    const { pending: _, ...rest } = withRun(state, { due, time: clock.time(), by, result })
    const next = { ...rest, ...(result.type === 'sent' ? defined({ digest }) : {}) }
    await states.write(schedule.id, next)
    if (result.type === 'failed')
      host.warn(`The schedule ${schedule.value.name} did not run (${key}): ${result.reason}`)
    return next
  }

  async function submit(id: string, { key, text, session, agent, budget }: PendingRun): Promise<ScheduleRun['result']> {
    const input: SubmitInput = {
      ...defined({ session }),
      ...(session === undefined && agent !== undefined ? { choices: { agent } } : {}),
      text,
      idempotencyKey: key,
      channel: 'schedule',
      budgets: [{ limit: budget, owner: `schedule/${id}`, per: 'turn' }],
    }
    try {
      const { session: sent, turn } = await host.runtime.submit(input)
      return { type: 'sent', session: sent, turn }
    } catch (error) {
      // The gateway stops, or its disk fails at the moment: the same may succeed later.
      if (error instanceof ForewordError && ['closing', 'overloaded', 'storage', 'storage-full'].includes(error.code))
        throw error
      return { type: 'failed', reason: host.redact(errorMessage(error)) }
    }
  }

  async function begun(schedule: Stored): Promise<ScheduleState> {
    const state = await stateOf(schedule)
    return state.pending ? send(schedule, state, state.pending) : state
  }

  async function checkOne(id: string): Promise<void> {
    const schedule = await records.find(id)
    if (!schedule) return
    let state = await begun(schedule)
    if (schedule.value.paused === true) return
    state = await withoutWrongTimes(schedule, state)
    for (const due of dueNow(schedule, state, now())) {
      if (end.signal.aborted) return
      state = await decide(schedule, state, due)
    }
  }

  /** A clock that was wrong once may have decided years of due times in advance. */
  async function withoutWrongTimes(schedule: Stored, state: ScheduleState): Promise<ScheduleState> {
    const next = timesOf(schedule.value).next(now())
    const upTo = Date.parse(state.upTo)
    if (next === undefined || upTo < next || upTo <= now() + AHEAD_MS) return state
    const corrected = { ...state, upTo: clock.time(), again: clock.time() }
    await states.write(schedule.id, corrected)
    host.warn(
      `The clock of this machine was wrong: the schedule ${schedule.value.name} had decided its times up to ${state.upTo}. ` +
        'It is due again from now on.',
    )
    return corrected
  }

  /** Due times that have passed and are not decided, in order: as many as the rule for missed ones wants. */
  function dueNow({ value }: Stored, { upTo }: ScheduleState, to: number): readonly number[] {
    return timesOf(value).between(Date.parse(upTo), to, value.missed === 'all' ? MOST_MISSED : 1)
  }

  async function decide(schedule: Stored, state: ScheduleState, dueAt: number): Promise<ScheduleState> {
    const { id, value } = schedule
    const due = new Date(dueAt).toISOString()
    const without = async (result: ScheduleRun['result']) => {
      const next = withRun({ ...state, upTo: due }, { due, time: clock.time(), by: 'time', result })
      await states.write(id, next)
      return next
    }
    if (value.missed === 'skip' && now() - dueAt > LATE_MS) return without({ type: 'missed' })
    if (await waitsForBudget(state)) return without({ type: 'missed', waits: true })
    const look = await lookAt(value)
    if (look.type === 'failed') {
      if (end.signal.aborted) return state
      host.warn(`The schedule ${value.name} did not run: ${look.reason}`)
      return without(look)
    }
    const { digest } = look
    if (digest !== undefined && digest === state.digest) return without({ type: 'unchanged' })
    const key = ['schedule', id, due, ...(state.again === undefined ? [] : [state.again])].join(':')
    const pending = pendingOf(value, { key, due, by: 'time', ...defined({ digest }) })
    const decided = { ...state, upTo: due, pending }
    await states.write(id, decided)
    return send(schedule, decided, pending)
  }

  /** Whether the last message still waits for an approval of its budget: the next one would ask the same again. */
  async function waitsForBudget({ runs }: ScheduleState): Promise<boolean> {
    const last = runs.findLast(({ result }) => result.type === 'sent')?.result
    if (last?.type !== 'sent') return false
    const asked = await host.runtime.approvals()
    return asked.some(({ session, turn, held }) => held && session === last.session && turn === last.turn)
  }

  async function lookAt({ ifChanged }: ScheduleValue) {
    if (ifChanged === undefined) return { type: 'looked' as const, digest: undefined }
    try {
      const digest = await conditionDigest(host, parseCondition(ifChanged), end.signal)
      return { type: 'looked' as const, digest }
    } catch (error) {
      return { type: 'failed' as const, reason: host.redact(errorMessage(error)) }
    }
  }

  /** Resolves when what is due is on disk. */
  async function check(): Promise<void> {
    const all = await records.list()
    const checked = await Promise.allSettled(all.map(({ id }) => changes.add(id, () => checkOne(id))))
    for (const [index, one] of checked.entries()) {
      if (one.status === 'fulfilled' || isClosing(one.reason)) continue
      host.warn(`The schedule ${all[index]!.value.name} has to wait: ${host.redact(errorMessage(one.reason))}`)
    }
  }

  /** How long nothing is due, ms; `undefined`: until a schedule changes. */
  async function untilNext(): Promise<number | undefined> {
    const moments: number[] = []
    const from = now()
    for (const schedule of await records.list()) {
      if (schedule.value.paused === true) continue
      const next = timesOf(schedule.value).next(from)
      if (next !== undefined) moments.push(next)
    }
    return moments.length === 0 ? undefined : Math.min(LONGEST_WAIT_MS, Math.min(...moments) - from)
  }

  /** Decides what is due, and returns how long nothing is. Never rejects. */
  async function decideAll(): Promise<number | undefined> {
    try {
      await check()
      return await untilNext()
    } catch (error) {
      if (!isClosing(error)) host.warn(`Schedules have to wait: ${host.redact(errorMessage(error))}`)
      return LONGEST_WAIT_MS
    }
  }

  async function run(): Promise<void> {
    while (!end.signal.aborted) {
      changed = Promise.withResolvers<void>()
      const wait = await decideAll()
      if (end.signal.aborted) return
      const woken = new AbortController()
      const signal = AbortSignal.any([end.signal, woken.signal])
      const due = wait === undefined ? [] : [clock.sleep(wait, signal)]
      await activity.rest(undefined, Promise.race([changed.promise, ...due]))
      woken.abort()
    }
  }

  async function view(schedule: Stored): Promise<ScheduleView> {
    const { id, value } = schedule
    const { upTo, runs } = await stateOf(schedule)
    const next = nextTimes(timesOf(value), Math.max(now(), Date.parse(upTo)))
    const [first] = await records.versions(id).then((versions) => versions.slice(-1))
    const state =
      timesOf(value).next(Date.parse(upTo)) === undefined ? 'finished' : value.paused === true ? 'paused' : 'active'
    return { ...value, id, created: first?.time ?? schedule.time, state, next, ...defined({ last: runs.at(-1) }) }
  }

  function requireFuture(value: Pick<ScheduleValue, 'when' | 'timeZone'>): void {
    if (timesOf(value).next(now()) !== undefined) return
    throw new RuntimeError('invalid-input', `The time ${JSON.stringify(value.when)} has passed.`)
  }

  async function requireUsable({
    session,
    agent,
    ifChanged,
  }: Pick<NewSchedule, 'session' | 'agent' | 'ifChanged'>): Promise<void> {
    if (session !== undefined && !(await store.session(session))) {
      throw new RuntimeError('not-found', `There is no session ${session}.`, { session })
    }
    if (agent !== undefined && !(await host.runtime.choiceOptions('agent'))?.some(({ id }) => id === agent)) {
      throw new RuntimeError('not-found', `There is no agent ${agent}.`, { kind: 'agent', id: agent })
    }
    if (host.settings.ofPerson && ifChanged !== undefined)
      throw new RuntimeError('invalid-input', 'Only schedules of the owner of the gateway can have a condition.')
    const condition = ifChanged === undefined ? undefined : parseCondition(ifChanged)
    if (condition?.type === 'program') await planProgram(host.runtime, condition.value)
  }

  return {
    /** `false`: nothing is due, and nothing can be run. */
    enabled: host.settings.enabled,
    /** In the order in which they were added. */
    list: async () => Promise.all((await records.list()).map(view)),
    get: async (id: string) => view(await records.get(id)),
    /** Rejects with `invalid-input`, and with `not-found` for a session or an agent that is not there. */
    async add(given: NewSchedule) {
      requireEnabled(host.settings)
      if (host.settings.ofPerson && (await records.list()).length >= MOST_OF_PERSON)
        throw new RuntimeError('invalid-input', `There are ${MOST_OF_PERSON} schedules already. Remove one.`)
      const read = readSchedule(newScheduleSchema, given)
      await requireUsable(read)
      const { name = await freeName(read.text), timeZone = host.timeZone } = read
      const value = { ...read, name, timeZone }
      requireFuture(value)
      const { id } = await records.create(value)
      changed.resolve()
      return view(await records.get(id))
    },
    /**
     * What is not named stays. A new time counts from now on; times passed while paused do not happen. Rejects like
     * `add`.
     */
    change: (id: string, given: ScheduleChange) =>
      changes.add(id, async () => {
        const before = await records.get(id)
        const value = changedSchedule(before.value, given)
        const isNewTime = value.when !== before.value.when || value.timeZone !== before.value.timeZone
        if (isNewTime) requireFuture(value)
        await requireUsable(difference(before.value, value))
        const state = await stateOf(before)
        // First, so that what passed meanwhile is decided before it can be due.
        const isLate = isNewTime || (before.value.paused === true && value.paused !== true)
        await states.write(id, isLate ? { ...state, upTo: later(state.upTo, clock.time()) } : state)
        try {
          await records.change(id, value)
        } catch (error) {
          await states.write(id, state)
          throw error
        }
        changed.resolve()
        return view(await records.get(id))
      }),
    /** What it has sent stays. */
    remove: (id: string) =>
      changes.add(id, async () => {
        await records.remove(id)
        await states.remove(id)
        changed.resolve()
      }),
    /** One run now, whatever its time and its condition say. */
    run: (id: string) =>
      changes.add(id, async () => {
        requireEnabled(host.settings)
        const schedule = await records.get(id)
        const state = await begun(schedule)
        const due = clock.time()
        const pending = pendingOf(schedule.value, { key: `schedule:${id}:${clock.newId('run')}`, due, by: 'person' })
        const decided = { ...state, pending }
        await states.write(id, decided)
        return (await send(schedule, decided, pending)).runs.at(-1)!
      }),
    /** Newest first. */
    runs: async (id: string) => (await stateOf(await records.get(id))).runs.toReversed(),
    check,
    /** From now on, what is due is sent when it is due. */
    begin() {
      loop ??= activity.run(undefined, run())
    },
    /** Resolves when everything that is due is decided; `undefined`: it is. */
    idle: () => activity.idle() ?? changes.idle(),
    /** Ends what runs. What was decided and not sent is sent at the next start. */
    async stop() {
      end.abort()
      // Without a schedule nothing else ends the wait.
      changed.resolve()
      await loop
      await changes.idle()
    },
  }

  /** With a number where another schedule has that name. */
  async function freeName(text: string): Promise<string> {
    const taken = new Set((await records.list()).map(({ value }) => value.name.toLowerCase()))
    const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
    const name = line.length > 60 ? `${line.slice(0, 59).toWellFormed()}…` : line
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? name : `${name} ${number}`
      if (!taken.has(candidate.toLowerCase())) return candidate
    }
  }
}

function pendingOf(
  { text, session, agent, budget }: ScheduleValue,
  run: Pick<PendingRun, 'key' | 'due' | 'by' | 'digest'>,
): PendingRun {
  return { ...run, text, budget, ...defined({ session, agent }) }
}

/** Kept: reading a rule again would cost more than using it. */
function timesOf({ when, timeZone }: Pick<ScheduleValue, 'when' | 'timeZone'>): DueTimes {
  const key = JSON.stringify([when, timeZone])
  const times = known.get(key) ?? dueTimes(parseTimeRule(when), timeZone)
  if (known.size >= 1_000) known.clear()
  known.set(key, times)
  return times
}

const known = new Map<string, DueTimes>()

function nextTimes(times: DueTimes, after: number): string[] {
  const found: string[] = []
  for (let next = times.next(after); next !== undefined && found.length < 3; next = times.next(next)) {
    found.push(new Date(next).toISOString())
  }
  return found
}

function difference(before: ScheduleValue, value: ScheduleValue): Partial<ScheduleValue> {
  const names = Object.keys(value) as readonly (keyof ScheduleValue)[]
  return Object.fromEntries(names.filter((name) => value[name] !== before[name]).map((name) => [name, value[name]]))
}

function later(one: string, other: string): string {
  return Date.parse(one) > Date.parse(other) ? one : other
}

function requireEnabled({ enabled, ofPerson }: ScheduleRules): void {
  if (enabled) return
  const hint = ofPerson ? 'The owner of the gateway switches them on.' : 'Set schedules.enabled to true.'
  throw new RuntimeError('invalid-input', 'Schedules are switched off.', {}, { hint })
}

function isClosing(error: unknown): boolean {
  return error instanceof ForewordError && error.code === 'closing'
}
