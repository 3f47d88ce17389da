import {
  type Clock,
  inbox,
  type MessageEdit,
  RuntimeError,
  type SubmitInput,
  type SubmittedTurn,
} from '../../capability.ts'
import { messageText } from '../../context.ts'
import { defined, sha256 } from '../../platform.ts'
import {
  budgetLimitFault,
  type EntryBody,
  type LogStore,
  StoreError,
  createUndoneTurnReader,
  turnsToHead,
} from '../../session.ts'
import { runtimeFailure } from '../failure.ts'
import { countInSlices } from '../models/counters.ts'
import type { RuntimeSettings } from '../settings.ts'
import { tokenCounts } from '../calls/turn-projection.ts'
import { type MessageFiles, messageWithFiles, type OfSession } from './message-files.ts'
import { sessionNotFound, turnNotFound, requireOwnSession } from './not-found.ts'
import type { SessionState, SessionStates } from './session-state.ts'

/** Characters of one input. More is a file, not a message. */
const LONGEST_INPUT = 2_000_000

/** Turns that have not ended, unless the settings say otherwise. */
const MOST_OPEN = 1_000
/** When to try again where too many have not ended, ms. */
const RETRY_AFTER_MS = 10_000

/** What was admitted: the state to queue it at, unless it had been admitted before. */
interface Admitted {
  readonly state: SessionState
  readonly submitted: SubmittedTurn
}

interface AdmissionParts {
  readonly store: LogStore
  readonly states: SessionStates
  readonly settings: RuntimeSettings
  readonly clock: Clock
  readonly files: MessageFiles
}

/**
 * Writes input to the log before it is acknowledged. The same idempotency key returns the same turn and session. `open`: how many turns
 * of all sessions are accepted and not ended.
 */
export async function admit(
  { store, states, settings, clock, files }: AdmissionParts,
  input: SubmitInput,
  open: number,
): Promise<Admitted> {
  const {
    text,
    idempotencyKey,
    after,
    choices = {},
    model,
    beside,
    system,
    parameters,
    budgets,
    token,
    channel,
    trace,
    whenRefused,
    attachments = [],
  } = input
  const options = {
    ...defined({ model, system, parameters, token, channel, trace, whenRefused }),
    ...(budgets?.length ? { budgets } : {}),
  }
  requireWords(text, attachments)
  for (const { limit } of budgets ?? []) {
    const fault = budgetLimitFault(limit)
    if (fault !== undefined) throw new RuntimeError('invalid-input', `A budget of the message is no limit: ${fault}.`)
  }
  if (system?.trim() === '') {
    throw new RuntimeError('invalid-input', 'The system prompt is blank. Leave it out to send the usual one.')
  }
  const session =
    input.session ??
    (idempotencyKey === undefined ? clock.newId('session') : `session_${sha256(idempotencyKey).slice(0, 12)}`)
  // Nobody has an id that was made just now.
  const isNew = input.session === undefined && idempotencyKey === undefined
  const known = isNew ? undefined : await states.of(session)
  if (!known && input.session !== undefined) throw sessionNotFound(session)
  if (known) requireOwnSession(known)
  if (known && idempotencyKey !== undefined) {
    const before = await admittedBefore(store, known, idempotencyKey, text)
    if (before) return before
  }
  if (beside !== undefined) requireFree(known, input)
  if (open >= (settings.maxOpenTurns ?? MOST_OPEN)) throw overloaded(open)
  if (after !== undefined && !(await states.of(after))) throw sessionNotFound(after)

  const parent = await parentOf(store, session, known, input.from)
  const turn = clock.newId('turn')
  const second = beside === undefined ? undefined : clock.newId('turn')
  const body = {
    type: 'input',
    turn,
    ...defined({ parent }),
    ...(await countedMessage(
      { settings, clock, files },
      { session, ...defined({ model: model ?? known?.model, choices: known?.choices ?? choices }) },
      text,
      attachments,
    )),
    ...defined({ idempotencyKey }),
    ...(Object.keys(options).length === 0 && second === undefined
      ? {}
      : { options: { ...options, ...defined({ beside: second }) } }),
  } as const
  try {
    const start = { type: 'session-start', ...defined({ after }) } as const
    const chosen = Object.entries(choices).map(([choice, value]) => ({ type: 'choice', choice, value }) as const)
    const bodies: EntryBody[] = known ? [body] : [start, ...chosen, body]
    const at = bodies.length - 1
    if (second !== undefined)
      bodies.push(...(await answeredBeside(store, body, { second, model: beside!, session, known })))
    const written = await store.append(session, bodies, clock.time())
    const state = known ?? (await states.of(session))!
    const { seq } = written[at]!
    return { state, submitted: { session, turn, seq, ...defined({ beside: second }), repeated: false } }
  } catch (error) {
    const state = error instanceof StoreError && error.code === 'conflict' ? await states.of(session) : undefined
    const before =
      state && idempotencyKey !== undefined ? await admittedBefore(store, state, idempotencyKey, text) : undefined
    if (before) return before
    throw runtimeFailure(error)
  }
}

interface SecondTurn {
  readonly second: string
  readonly model: string
  readonly session: string
  readonly known: SessionState | undefined
}

/** The same input for another model, in a branch of its own, and the move that keeps the conversation with the first one. */
async function answeredBeside(
  store: LogStore,
  first: Extract<EntryBody, { readonly type: 'input' }>,
  { second, model, session, known }: SecondTurn,
): Promise<readonly EntryBody[]> {
  const { idempotencyKey: _, ...input } = first
  const { turn, options } = input
  let { parent } = input
  if (parent === undefined) {
    const row = known && (await store.session(session))
    parent = (row && turnsToHead(row, await store.turns(session)).at(-1)?.turn) ?? null
  }
  return [
    { ...input, turn: second, parent, options: { ...options, model, beside: turn } },
    { type: 'branch', head: turn },
  ]
}

/** A message to two models begins at once: behind another turn it would wait as two messages. */
function requireFree(known: SessionState | undefined, { model, beside, budgets }: SubmitInput): void {
  if (known && (known.running || known.beside || known.queue.length > 0)) {
    const hint = 'Send it when the turn has ended, or stop the turn.'
    throw new RuntimeError('invalid-input', 'A message to two models cannot wait behind a turn.', {}, { hint })
  }
  if (budgets?.length) throw new RuntimeError('invalid-input', 'A message to two models has no budget of its own.')
  if (beside !== (model ?? known?.model)) return
  const hint = 'Name another model in `beside`.'
  throw new RuntimeError('invalid-input', `${beside} would answer the message twice.`, { model: beside }, { hint })
}

function overloaded(open: number): RuntimeError {
  const message = `${open} turns have not ended yet: no more are accepted.`
  const hint = 'Send it again later, or raise `agent.maxOpenTurns`.'
  return new RuntimeError('overloaded', message, { open, retryAfterMs: RETRY_AFTER_MS }, { hint })
}

/** The message of an `edit` of a turn that waits, checked as a new one is. Its files are the session's from then on. */
export async function editedMessage(
  parts: MessageParts,
  state: SessionState,
  { text, attachments = [] }: MessageEdit,
): Promise<CountedMessage> {
  requireWords(text, attachments)
  return countedMessage(parts, state, text, attachments)
}

type MessageParts = Pick<AdmissionParts, 'settings' | 'clock' | 'files'>
type CountedMessage = Pick<Extract<EntryBody, { readonly type: 'input' }>, 'message' | 'tokens' | 'attachments'>

async function countedMessage(
  { settings, clock, files }: MessageParts,
  of: OfSession,
  text: string,
  ids: readonly string[],
): Promise<CountedMessage> {
  const { message, attachments, handedIn } = await messageWithFiles(files, of, text, ids)
  // Files that belong to nobody yet become the session's, and its copies are stored.
  for (const row of handedIn) {
    if (row.owner.id === inbox.id) await files.library?.give(row.id, { type: 'session', id: of.session })
    else await files.library?.keep(row)
  }
  const tokens = await countInSlices(clock, settings.counter, (counter) => tokenCounts(counter, message))
  return { message, tokens, ...(attachments.length === 0 ? {} : { attachments }) }
}

function requireWords(text: string, files: readonly string[]): void {
  if (text.trim() === '' && files.length === 0)
    throw new RuntimeError('invalid-input', 'The message is empty.', {}, { hint: 'Write something, or attach a file.' })
  if (text.length <= LONGEST_INPUT) return
  throw new RuntimeError(
    'invalid-input',
    `The message has ${text.length} characters; the limit is ${LONGEST_INPUT}.`,
    {},
    { hint: 'Send the rest as a file.' },
  )
}

/** The parent of the input's turn, where not the newest. Rejects with `not-found`, and `invalid-input` for an undone turn. */
async function parentOf(
  store: LogStore,
  session: string,
  known: SessionState | undefined,
  from: string | null | undefined,
): Promise<string | null | undefined> {
  if (from !== undefined) {
    if (from !== null) await requireLiveTurn(store, session, from)
    return from
  }
  if (!known?.hasBranches) return undefined
  const row = await store.session(session)
  if (row?.head === undefined) return undefined
  const turns = await store.turns(session)
  return turns[0]?.turn === row.head ? undefined : (turnsToHead(row, turns).at(-1)?.turn ?? null)
}

export async function requireLiveTurn(store: LogStore, session: string, turn: string): Promise<void> {
  const row = await store.turn(session, turn)
  if (!row) throw turnNotFound(session, turn)
  if (row.state !== 'undone') return
  throw new RuntimeError('invalid-input', `Turn ${turn} was undone, so the conversation cannot go on after it.`, {
    session,
    turn,
  })
}

/** Other input under a known key is no repeat, nor is one of a turn that was taken back: to answer that turn would lose it. */
async function admittedBefore(
  store: LogStore,
  state: SessionState,
  key: string,
  text: string,
): Promise<Admitted | undefined> {
  const entry = await store.inputByKey(state.session, key)
  if (entry?.type !== 'input') return undefined
  if ((await createUndoneTurnReader(store)(state.session)).includes(entry.turn)) {
    throw new RuntimeError(
      'key-reused',
      `The idempotency key belongs to ${entry.turn}, which was taken back. Send the message again with another key.`,
      { session: state.session, turn: entry.turn },
    )
  }
  if (messageText(entry.message) !== text) {
    throw new RuntimeError(
      'key-reused',
      `The idempotency key belongs to ${entry.turn}, whose message is a different one. Send this message with another key.`,
      { session: state.session, turn: entry.turn },
    )
  }
  const { turn, seq, options: { beside } = {} } = entry
  return { state, submitted: { session: state.session, turn, seq, ...defined({ beside }), repeated: true } }
}

interface EditedFrom {
  readonly session: string
  readonly turn: string
  /** `seq` of the entry whose words were read. Absent: whatever the message says now. */
  readonly base: number | undefined
}

/** Rejects with `changed`, and with the words of the message as they are now, where it was edited since `base`. */
export async function assertUnedited(store: LogStore, { session, turn, base }: EditedFrom): Promise<void> {
  if (base === undefined) return
  const newest = (await store.entries(session, { turn, types: ['input', 'edit'] })).at(-1)
  if (newest === undefined || newest.seq === base) return
  if (newest.type !== 'input' && newest.type !== 'edit') return
  const { seq, message, attachments = [] } = newest
  throw new RuntimeError(
    'changed',
    'The message was edited elsewhere since you read it.',
    { session, turn, base: seq, text: messageText(message), attachments: attachments.map(({ file }) => file) },
    { hint: 'Compare both. To put yours in its place, send it again with this `base`.' },
  )
}

/** The error for an edit that comes too late. */
export function begunAlready(session: string, turn: string): RuntimeError {
  const hint = 'Send what you wrote as the next message.'
  const message = `The message of ${turn} does not wait any more: it is being answered.`
  return new RuntimeError('changed', message, { session, turn }, { hint })
}
