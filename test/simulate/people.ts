import { scheduleService } from '../../src/capabilities/schedules/schedules.ts'
import { fileLibrary, inbox } from '../../src/capability.ts'
import { ForewordError } from '../../src/platform.ts'
import { type Gateway, GatewayGone } from './gateway.ts'
import { runtimeFailure } from '../../src/runtime.ts'
import type { Random } from './random.ts'
import type { VirtualTime } from './virtual-time.ts'
import { words } from './words.ts'
import { costsOf } from '../costs-of.ts'

/** What people were told. The laws are about this. */
export interface Told {
  /** Messages that were acknowledged. */
  readonly accepted: { readonly session: string; readonly turn: string; readonly text: string; readonly key?: string }[]
  /** Sessions that somebody deleted. */
  readonly deleted: Set<string>
  /** Messages that were taken back or changed while they waited. */
  readonly changed: Set<string>
  /** Somebody allowed a call that passes a budget. */
  allowed: boolean
  /** What was spent or held when somebody set a limit, by the name of the budget and its unit. */
  readonly before: Map<string, number>
  /** Errors that no person should ever see. */
  readonly faults: string[]
}

export interface PersonParts {
  readonly gateway: Gateway
  readonly time: VirtualTime
  readonly random: Random
  readonly told: Told
  readonly name: string
  /** Sessions that this person has begun, or was given. */
  readonly sessions: string[]
  readonly trace: (text: string) => void
  /** Reads every answer to its end before anything else. */
  readonly patient: boolean
}

/** Somebody who does one thing after another, and waits for the answer of some. */
export async function person(parts: PersonParts, things: number): Promise<void> {
  const { random, time, gateway } = parts
  for (let done = 0; done < things;) {
    await time.sleep(random.chance(0.3) ? random.below(30) : random.below(20_000))
    if (!gateway.isRunning()) continue
    done += 1
    const action = done === 1 ? send : random.pick(ACTIONS)
    await attempt(parts, action.name, action)
  }
}

/** Does one thing. An error is an answer, too, unless it says that something is wrong with the gateway itself. */
export async function attempt(parts: PersonParts, what: string, action: Action): Promise<void> {
  const { name, told, trace } = parts
  try {
    trace(`${name} ${what}: ${(await action(parts)) || 'done'}`)
  } catch (thrown) {
    if (thrown instanceof GatewayGone) return trace(`${name} ${what}: the gateway is gone`)
    const error = runtimeFailure(thrown)
    const isShown = error instanceof ForewordError && error.expose && error.code !== 'internal'
    trace(`${name} ${what}: ${error instanceof ForewordError ? error.code : String(error)}`)
    // What HTTP answers then is that Foreword failed.
    if (isShown) return
    told.faults.push(`${what}: ${error instanceof Error ? error.stack : String(error)}`)
  }
}

/** Notes a message that was acknowledged. */
export function remember({ told, sessions, time }: PersonParts, accepted: Told['accepted'][number]): void {
  const { session, turn, text, key } = accepted
  told.accepted.push({ session, turn, text, ...(key !== undefined && { key }) })
  if (!sessions.includes(session)) sessions.push(session)
  time.mark()
}

type Action = (parts: PersonParts) => Promise<string | void>

async function send(parts: PersonParts): Promise<string> {
  const { random, sessions, told, gateway } = parts
  const session = random.chance(0.75) && sessions.length > 0 ? random.pick(sessions) : undefined
  const text = words(random)
  const key = random.chance(0.4) ? `key ${random.below(1e9)}` : undefined
  const model = random.chance(0.15) ? random.pick(['other/scripted', 'third/scripted']) : undefined
  const budgets = random.chance(0.1)
    ? [{ limit: { usd: random.pick([0.001, 0.05]) }, per: 'turn' as const }]
    : undefined
  const attachments = random.chance(0.12) ? [await handIn(parts)] : undefined
  const input = {
    text,
    ...(attachments && { attachments }),
    ...(session && { session }),
    ...(key && { idempotencyKey: key }),
    ...(model && { model }),
    ...(budgets && { budgets }),
  }
  const accepted = await gateway.ask((runtime) => runtime.submit(input))
  remember(parts, { ...accepted, text, ...(key && { key }) })
  if (key && random.chance(0.5)) {
    // Somebody who is not sure that it arrived sends it again.
    const again = await gateway.ask((runtime) => runtime.submit(input))
    if (again.turn !== accepted.turn) told.faults.push(`The same key gave ${accepted.turn} and ${again.turn}.`)
  }
  if (parts.patient || random.chance(0.5)) await follow(parts, accepted.session, accepted.turn)
  return accepted.turn
}

/** Reads a turn as it comes, to its end, or until it takes too long. */
async function follow({ gateway, told, time }: PersonParts, session: string, turn: string): Promise<void> {
  await gateway.ask(async (runtime) => {
    let last = 0
    const patience = new AbortController()
    time.at(120_000, 0, () => patience.abort())
    for await (const event of runtime.events(session, { turn, signal: patience.signal })) {
      if (event.type !== 'entry') continue
      if (event.entry.seq <= last) told.faults.push(`${session} was read backwards: ${event.entry.seq} after ${last}`)
      last = event.entry.seq
    }
  })
}

async function sendFromChannel(parts: PersonParts): Promise<string> {
  const { random, gateway } = parts
  const conversation = random.pick(['roof', 'loft'])
  const session = await gateway.ask((runtime) => runtime.sessionFor({ channel: 'pigeon', conversation }))
  const [text, key] = [words(random), `pigeon:${random.below(1e9)}`]
  const accepted = await gateway.ask((runtime) =>
    runtime.submit({ session, text, idempotencyKey: key, channel: 'pigeon' }),
  )
  remember(parts, { session, turn: accepted.turn, text, key })
  return accepted.turn
}

async function newestTurn({
  random,
  gateway,
  sessions,
}: PersonParts): Promise<{ session: string; turn: string } | undefined> {
  if (sessions.length === 0) return undefined
  const session = random.pick(sessions)
  const [row] = await gateway.ask((runtime) => runtime.store.turns(session, { limit: 1 }))
  return row && { session, turn: row.turn }
}

async function cancel(parts: PersonParts): Promise<string | void> {
  const found = await newestTurn(parts)
  if (found) return `${found.turn} ${await parts.gateway.ask((runtime) => runtime.cancel(found.session, found.turn))}`
}

async function withdraw(parts: PersonParts): Promise<string | void> {
  const found = await newestTurn(parts)
  if (!found) return
  parts.told.changed.add(found.turn)
  return `${found.turn} ${await parts.gateway.ask((runtime) => runtime.withdraw(found.session, found.turn))}`
}

async function editWaiting(parts: PersonParts): Promise<string | void> {
  const found = await newestTurn(parts)
  if (!found) return
  parts.told.changed.add(found.turn)
  await parts.gateway.ask((runtime) => runtime.editWaiting(found.session, found.turn, { text: words(parts.random) }))
  return found.turn
}

async function decide({ gateway, random, told, name }: PersonParts): Promise<string | void> {
  const [question] = await gateway.ask((runtime) => runtime.approvals())
  if (!question) return
  const decision = random.chance(0.3)
    ? ({ type: 'deny' } as const)
    : ({ type: 'approve', scope: random.pick(['once', 'session'] as const) } as const)
  if (question.held && decision.type === 'approve') told.allowed = true
  await gateway.ask((runtime) => runtime.decide(question.approval, { decision, digest: question.digest, by: name }))
  return `${question.approval} ${decision.type}`
}

async function undo({ gateway, random, sessions }: PersonParts): Promise<string | void> {
  if (sessions.length === 0) return
  const session = random.pick(sessions)
  return (await gateway.ask((runtime) => runtime.undo(session))).turn
}

/** Asks the same again, beside the answer that there is. */
async function regenerate(parts: PersonParts): Promise<string | void> {
  const { gateway, random, sessions } = parts
  if (sessions.length === 0) return
  const session = random.pick(sessions)
  const rows = await gateway.ask((runtime) => runtime.store.turns(session, { limit: 5 }))
  if (rows.length === 0) return
  const text = words(random)
  const from = random.chance(0.2) ? null : random.pick(rows).turn
  const accepted = await gateway.ask((runtime) => runtime.submit({ session, text, from }))
  remember(parts, { session, turn: accepted.turn, text })
  return accepted.turn
}

async function branch({ gateway, random, sessions }: PersonParts): Promise<string | void> {
  if (sessions.length === 0) return
  const session = random.pick(sessions)
  const rows = await gateway.ask((runtime) => runtime.store.turns(session, { limit: 5 }))
  if (rows.length === 0) return
  const { turn } = random.pick(rows)
  await gateway.ask((runtime) => runtime.goOnFrom(session, turn))
  return turn
}

async function chooseModel({ gateway, random, sessions }: PersonParts): Promise<string | void> {
  if (sessions.length === 0) return
  const model = random.pick(['main/scripted', 'other/scripted', 'third/scripted', undefined])
  await gateway.ask((runtime) => runtime.setModel(random.pick(sessions), model))
  return String(model)
}

async function remove({ gateway, random, sessions, told }: PersonParts): Promise<string | void> {
  if (sessions.length < 2) return
  const session = sessions[random.below(sessions.length)]!
  // Whether it is still there when the gateway crashes before the answer, nobody knows.
  told.deleted.add(session)
  sessions.splice(sessions.indexOf(session), 1)
  await gateway.ask((runtime) => runtime.deleteSession(session))
  return session
}

async function look({ gateway, random, sessions }: PersonParts): Promise<string | void> {
  if (sessions.length === 0) return
  const session = random.pick(sessions)
  const preview = await gateway.ask((runtime) => runtime.preview({ session, input: words(random) }))
  return `${preview.manifest.used} tokens`
}

async function label({ gateway, random, sessions }: PersonParts): Promise<string | void> {
  if (sessions.length === 0) return
  await gateway.ask((runtime) =>
    runtime.label(random.pick(sessions), { title: words(random), pinned: random.chance(0.5) }),
  )
}

async function fold({ gateway, random, sessions }: PersonParts): Promise<string | void> {
  const session = sessions.length > 0 ? random.pick(sessions) : undefined
  await gateway.ask((runtime) => runtime.reload({ now: random.chance(0.5), ...(session && { session }) }))
}

async function complete({ gateway, random }: PersonParts): Promise<string | void> {
  await gateway.ask(async (runtime) => {
    for await (const event of runtime.complete({ messages: [{ role: 'user', content: words(random) }] })) {
      if (event.type === 'finish') break
    }
  })
}

/** Hands in an image: text is read by a program of its own, which no story has. */
export async function handIn({ gateway, random }: PersonParts): Promise<string> {
  const bytes = Buffer.from(`image ${random.below(5)} ${'of the sea '.repeat(random.below(3_000))}`)
  const reading = { kind: 'image', mediaType: 'image/png', width: 64, height: 64, tokens: 80 } as const
  const added = await gateway.ask((runtime) =>
    runtime.capability(fileLibrary)!.add({
      name: 'sea.png',
      owner: inbox,
      state: { type: 'ready', reading },
      bytes: (async function* () {
        yield bytes
      })(),
    }),
  )
  return added.id
}

async function plan({ gateway, random }: PersonParts): Promise<string> {
  const when = random.pick(['every 15 minutes', 'every hour', 'every day at 14'])
  const given = {
    when,
    text: words(random),
    budget: { usd: random.pick([0.001, 1]) },
    missed: random.pick(['skip', 'once', 'all'] as const),
  }
  return (await gateway.ask((runtime) => runtime.capability(scheduleService)!.add(given))).id
}

async function removePlans({ gateway }: PersonParts): Promise<string> {
  return gateway.ask(async (runtime) => {
    const schedules = runtime.capability(scheduleService)!
    const found = await schedules.list()
    for (const { id } of found) await schedules.remove(id)
    return String(found.length)
  })
}

async function setBudgets({ gateway, random, told, name }: PersonParts): Promise<string> {
  const budgets = random.pick([
    [],
    [{ limit: { usd: 0.5 }, per: 'day' }],
    [{ limit: { tokens: 90_000 }, per: 'month' }],
  ])
  await gateway.ask(async (runtime) => {
    const { digest } = await runtime.configuration.value(['budgets'])
    await runtime.configuration.set({ key: ['budgets'], value: budgets, kept: ['budgets'], digest, by: name })
    await runtime.reload()
    for (const { name: budget, unit, spent = 0, held = 0 } of await runtime.budgets())
      told.before.set(`${budget} ${unit}`, spent + held)
  })
  return JSON.stringify(budgets)
}

async function readUsage({ gateway }: PersonParts): Promise<string | void> {
  await gateway.ask((runtime) => costsOf(runtime).costs({ by: 'session' }))
}

/** What people do more often is named more often. */
const ACTIONS: readonly Action[] = [
  send,
  send,
  send,
  send,
  send,
  send,
  send,
  sendFromChannel,
  sendFromChannel,
  decide,
  decide,
  decide,
  cancel,
  withdraw,
  editWaiting,
  undo,
  regenerate,
  branch,
  chooseModel,
  remove,
  look,
  label,
  fold,
  complete,
  readUsage,
  plan,
  removePlans,
  setBudgets,
]
