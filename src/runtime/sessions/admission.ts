import {
  type Clock,
  type FileLibrary,
  inbox,
  RuntimeError,
  type SubmitInput,
  type SubmittedTurn,
} from '../../capability.ts'
import { type Message, messageText, type UserMessage } from '../../context.ts'
import { defined, sha256 } from '../../platform.ts'
import {
  type AttachedFile,
  type FileRow,
  type LogStore,
  StoreError,
  createUndoneTurnReader,
  turnsToHead,
} from '../../session.ts'
import { runtimeFailure } from '../failure.ts'
import { countInSlices } from '../models/counters.ts'
import type { RuntimeSettings } from '../settings.ts'
import { tokenCounts } from '../turns/turn-projection.ts'
import type { SessionState, SessionStates } from './session-state.ts'

/** Characters of one input. More is a file, not a message. */
const LONGEST_INPUT = 2_000_000

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
  readonly library: FileLibrary | undefined
}

/**
 * Writes input to the log before it is acknowledged. The same idempotency key returns the same turn,
 * also where no session is named: the key then names the session.
 */
export async function admit(
  { store, states, settings, clock, library }: AdmissionParts,
  input: SubmitInput,
): Promise<Admitted> {
  const { text, idempotencyKey, after, model, system, parameters, attachments: files = [] } = input
  const options = {
    ...defined({ model, system, parameters }),
  }
  if (text.trim() === '' && files.length === 0)
    throw new RuntimeError('invalid-input', 'The message is empty. Write something.')
  if (system?.trim() === '') {
    throw new RuntimeError('invalid-input', 'The system prompt is blank. Leave it out to send the usual one.')
  }
  if (text.length > LONGEST_INPUT) {
    throw new RuntimeError(
      'invalid-input',
      `The message has ${text.length} characters; the limit is ${LONGEST_INPUT}. Send the rest as a file.`,
    )
  }
  const session =
    input.session ??
    (idempotencyKey === undefined ? clock.newId('session') : `session_${sha256(idempotencyKey).slice(0, 12)}`)
  const known = await states.of(session)
  if (!known && input.session !== undefined) throw sessionNotFound(session)
  if (known && idempotencyKey !== undefined) {
    const before = await admittedBefore(store, known, idempotencyKey, text)
    if (before) return before
  }
  if (after !== undefined && !(await states.of(after))) throw sessionNotFound(after)

  const parent = await parentOf(store, session, input.from)
  const turn = clock.newId('turn')
  const { message, attachments } = await attachFiles(library, session, text, files)
  const body = {
    type: 'input',
    turn,
    ...defined({ parent }),
    message,
    tokens: await countInSlices(settings.counter, (counter) => tokenCounts(counter, message)),
    ...defined({ idempotencyKey }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
    ...(attachments.length === 0 ? {} : { attachments }),
  } as const
  try {
    const start = { type: 'session-start', ...defined({ after }) } as const
    const bodies = known ? [body] : [start, body]
    const written = await store.append(session, bodies, clock.time())
    const state = known ?? (await states.of(session))!
    return { state, submitted: { session, turn, seq: written.at(-1)!.seq, repeated: false } }
  } catch (error) {
    const state = error instanceof StoreError && error.code === 'conflict' ? await states.of(session) : undefined
    const before =
      state && idempotencyKey !== undefined ? await admittedBefore(store, state, idempotencyKey, text) : undefined
    if (before) return before
    throw runtimeFailure(error)
  }
}

/**
 * What the input names as its parent: where it begins a branch, or where the session goes on after another turn than the newest
 * one. Rejects with `not-found`, and with `invalid-input` for an undone turn.
 */
async function parentOf(
  store: LogStore,
  session: string,
  from: string | null | undefined,
): Promise<string | null | undefined> {
  if (from !== undefined) {
    if (from !== null) await requireLiveTurn(store, session, from)
    return from
  }
  const row = await store.session(session)
  if (row?.head === undefined) return undefined
  const turns = await store.turns(session)
  return turns[0]?.turn === row.head ? undefined : (turnsToHead(row, turns).at(-1)?.turn ?? null)
}

/** Rejects with `not-found`, and with `invalid-input` for an undone turn. */
export async function requireLiveTurn(store: LogStore, session: string, turn: string): Promise<void> {
  const row = await store.turn(session, turn)
  if (!row) throw new RuntimeError('not-found', `Session ${session} has no turn ${turn}.`, { session, turn })
  if (row.state !== 'undone') return
  throw new RuntimeError('invalid-input', `Turn ${turn} was undone, so the conversation cannot go on after it.`, {
    session,
    turn,
  })
}

/** The error of every method that is given a session which is not there. */
export function sessionNotFound(session: string): RuntimeError {
  return new RuntimeError('not-found', `There is no session ${session}. List them with \`foreword sessions\`.`, {
    session,
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
  return { state, submitted: { session: state.session, turn: entry.turn, seq: entry.seq, repeated: true } }
}

/** What goes into the log for a message with files. */
interface WithFiles {
  readonly message: UserMessage
  readonly attachments: readonly AttachedFile[]
}

const MOST = 50

/**
 * Waits until the files are read, and makes them the session's. A file that could not be read goes along as a notice: it
 * keeps no other file and no message back. The same file, and the same bytes, are sent once. Rejects with `not-found`, and with `invalid-input` for a file of another
 * conversation.
 */
async function attachFiles(
  library: FileLibrary | undefined,
  session: string,
  text: string,
  ids: readonly string[],
): Promise<WithFiles> {
  const named = [...new Set(ids)]
  if (named.length === 0) return { message: { role: 'user', content: text }, attachments: [] }
  if (!library)
    throw new RuntimeError('invalid-input', 'This gateway accepts no files: it runs without the capability `files`.')
  if (named.length > MOST) throw new RuntimeError('invalid-input', `A message can have at most ${MOST} files.`)
  const handedIn = await Promise.all(named.map((id) => library.settled(id)))
  for (const row of handedIn) refuseOthers(row, session)
  for (const { id, owner } of handedIn) {
    if (owner.id === inbox.id) await library.give(id, { type: 'session', id: session })
  }
  const rows = mergeSameFiles(handedIn, ({ hash }) => hash)
  const pictures = rows.flatMap(picturePart)
  return {
    message: { role: 'user', content: pictures.length === 0 ? text : [{ type: 'text', text }, ...pictures] },
    attachments: rows.map(attachedFile),
  }
}

function refuseOthers({ id, name, owner }: FileRow, session: string): void {
  if (owner.type === 'session' && (owner.id === session || owner.id === inbox.id)) return
  const where = owner.type === 'session' ? 'another session' : `the ${owner.type} ${owner.id}`
  throw new RuntimeError(
    'invalid-input',
    `The file ${name} (${id}) belongs to ${where}. Upload it again for this session.`,
  )
}

function attachedFile({ id, name, state }: FileRow): AttachedFile {
  if (state.type !== 'ready') return { file: id, name, kind: 'unreadable' }
  const { reading } = state
  if (reading.kind === 'image') return { file: id, name, kind: 'image' }
  const { content } = reading
  if (reading.kind === 'table') return { file: id, name, kind: 'table', content }
  return { file: id, name, kind: 'text', content, tokens: reading.tokens }
}

type UserPart = Exclude<Message['content'], string>[number] & { readonly type: 'file' }

/** An image is in its message by its id; its bytes are put in when the request leaves. */
function picturePart({ id, name, state }: FileRow): readonly UserPart[] {
  if (state.type !== 'ready' || state.reading.kind !== 'image') return []
  const { mediaType, width, height } = state.reading
  const size = width === undefined || height === undefined ? {} : { width, height }
  const data = { type: 'reference', reference: { foreword: id } } as const
  return [{ type: 'file', mediaType, filename: name, data, providerOptions: { foreword: size } }]
}

/** Files that are the same, by what `sameBy` gives, as one: the first, with the other names that it goes by. */
export function mergeSameFiles(rows: readonly FileRow[], sameBy: (row: FileRow) => string): readonly FileRow[] {
  return Array.from(Map.groupBy(rows, sameBy).values(), (same) => {
    const [first, ...names] = new Set(same.map(({ name }) => name))
    return names.length === 0 ? same[0]! : { ...same[0]!, name: `${first}, also ${names.join(', ')}` }
  })
}
