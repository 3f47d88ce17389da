import { type FileLibrary, inbox, type RunningCapabilities, RuntimeError } from '../../capability.ts'
import { available, storedImagePart, type UserMessage } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { AttachedFile, Choices, FileRow, SessionStore } from '../../session.ts'
import { type BudgetContext, budgetFor } from '../models/call-budget.ts'
import { textTokens } from '../models/counters.ts'
import type { ModelChoice } from '../models/model-choice.ts'

export interface MessageFiles {
  readonly library: FileLibrary | undefined
  readonly capabilities: Pick<RunningCapabilities, 'ready' | 'chosen' | 'choices'>
  readonly models: Pick<ModelChoice, 'resolve'>
  readonly context: BudgetContext & { readonly store: SessionStore }
}

/** The session of a message, with what it has chosen and the model of its answer. */
export interface OfSession {
  readonly session: string
  readonly choices?: Choices | undefined
  readonly model?: string | undefined
}

/** What goes into the log for a message with files. */
interface WithFiles {
  readonly message: UserMessage
  readonly attachments: readonly AttachedFile[]
  /** To be given to the session. */
  readonly handedIn: readonly FileRow[]
}

const MOST = 50

/**
 * A message with its files, once they are read. A file that could not be read goes along as a notice: it keeps no other file
 * and no message back. The same file, and the same bytes, are sent once. A file of what the session has chosen, such as its
 * project, goes along as a copy of this moment. Writes nothing. Rejects with `not-found`, and with `invalid-input` for a file
 * of another conversation and for copies that no request has room for.
 */
export async function messageWithFiles(
  files: MessageFiles,
  of: OfSession,
  text: string,
  ids: readonly string[],
): Promise<WithFiles> {
  const { library } = files
  const named = [...new Set(ids)]
  if (named.length === 0) return { message: { role: 'user', content: text }, attachments: [], handedIn: [] }
  if (!library)
    throw new RuntimeError('invalid-input', 'This gateway accepts no files: it runs without the capability `files`.')
  if (named.length > MOST) throw new RuntimeError('invalid-input', `A message can have at most ${MOST} files.`)
  const settled = await Promise.all(named.map((id) => library.settled(id)))
  const others = settled.filter(({ owner }) => owner.type !== 'session' || ![of.session, inbox.id].includes(owner.id))
  if (others.length > 0) await requireReadable(files, of, others)
  const session = { type: 'session', id: of.session } as const
  const handedIn = await Promise.all(
    settled.map(async (row) => (others.includes(row) ? library.copy(row, session) : row)),
  )
  const rows = mergeSameFiles(handedIn, ({ hash }) => hash)
  const pictures = rows.flatMap(picturePart)
  return {
    message: { role: 'user', content: pictures.length === 0 ? text : [{ type: 'text', text }, ...pictures] },
    attachments: rows.map(attachedFile),
    handedIn,
  }
}

/** Rejects unless the session has chosen what these files belong to, and a request has room for them. */
async function requireReadable(
  { library, capabilities, models, context }: MessageFiles,
  { choices: own = {}, model: asked }: OfSession,
  rows: readonly FileRow[],
): Promise<void> {
  await capabilities.ready()
  const { choices, preset } = await capabilities.chosen(own)
  for (const { id, name, owner } of rows) {
    if (capabilities.choices[owner.type]?.files && choices[owner.type] === owner.id) continue
    const where = owner.type === 'session' ? 'another session' : `the ${owner.type} ${owner.id}`
    const message = `The file ${name} (${id}) belongs to ${where}. Upload it again for this session.`
    throw new RuntimeError('invalid-input', message)
  }
  // A provider that cannot be asked now is waited for by the turn, which counts everything once more.
  const model = await models.resolve(asked ?? preset.model).catch(() => undefined)
  if (!model) return
  const { store, settings } = context
  const { layout = settings.layout } = preset
  let left = available(budgetFor({ ...context, settings: { ...settings, layout } }, model))
  for (const row of rows) {
    const { id: file, name, state } = row
    const { tokens } = state.type === 'ready' && state.reading.kind !== 'table' ? state.reading : {}
    const needed = tokens ?? (await textTokens(store.clock, settings.counter, (await library?.text(row)) ?? ''))
    if (needed > left) {
      const message = `The file ${name} has ${needed} tokens, and the message has room for ${left}.`
      const hint = 'Leave it out and ask about it: the model can search it.'
      throw new RuntimeError('invalid-input', message, { file, tokens: needed, available: left }, { hint })
    }
    left -= needed
  }
}

function attachedFile({ id, name, state }: FileRow): AttachedFile {
  if (state.type !== 'ready') return { file: id, name, kind: 'unreadable' }
  const { reading } = state
  if (!('content' in reading)) return { file: id, name, kind: reading.kind, ...defined({ tokens: reading.tokens }) }
  const { content } = reading
  if (reading.kind === 'table') return { file: id, name, kind: 'table', content }
  return { file: id, name, kind: 'text', content, tokens: reading.tokens }
}

/** An image or a recording is in its message by its id; its bytes are put in when the request leaves. */
function picturePart({ id: file, name, state }: FileRow) {
  return state.type === 'ready' && !('content' in state.reading)
    ? [storedImagePart({ file, name, ...state.reading })]
    : []
}

/** Files that are the same, by what `sameBy` gives, as one: the first, with the other names that it goes by. */
export function mergeSameFiles(rows: readonly FileRow[], sameBy: (row: FileRow) => string): readonly FileRow[] {
  return Array.from(Map.groupBy(rows, sameBy).values(), (same) => {
    const [first, ...names] = new Set(same.map(({ name }) => name))
    return names.length === 0 ? same[0]! : { ...same[0]!, name: `${first}, also ${names.join(', ')}` }
  })
}
