import { defined, inSlices, jsonParts, timeSlice } from '../../platform.ts'
import { RuntimeError } from '../../capability.ts'
import {
  type AssemblyInput,
  type Budget,
  type Cut,
  type CutWorth,
  type EarlierTurns,
  type FileFrame,
  type ImageSupport,
  type Layer,
  type LayoutChoice,
  layoutOf,
  type NoteWords,
  type ToolDefinition,
  type Turn,
  type VerbatimInput,
} from '../../context.ts'
import type { CallOptions } from '../../model.ts'
import { type CallRecord, readReferredContent, type SessionStore, withEdits } from '../../session.ts'
import { announcedMessages, type FrozenParts, type HeadRecord, recordHead } from './head-record.ts'
import type { Counters } from '../models/counters.ts'
import { projectTurn } from './turn-projection.ts'
import { loadAttachments, announcedFiles, earlierAttachments, type EarlierFile, inputFiles } from './attachments.ts'
import { readHistoryNotes } from './history-notes.ts'
import { loadHistory } from './history-loader.ts'

/** How a call was made, as far as the body depends on it. Recorded with the call. */
export type RecordedOptions = Omit<
  CallOptions,
  'signal' | 'account' | 'leastPromptTokens' | 'leastWholeTokens' | 'limits'
>

/** What an assembly was given besides the log, as it is recorded. Large texts are `sha256:` references to contents. */
export interface CallInput {
  readonly layout: LayoutChoice
  readonly counter: string
  readonly budget: Budget
  readonly layers: readonly string[]
  readonly tools: string
  readonly cut?: Cut
  readonly earlier?: EarlierTurns
  /** Which notes stand in it: those that `cut` names, and words for the next. Absent where there are none. */
  readonly notes?: {
    /** The share of first turns beside an index, as the layout had it. */
    readonly first: number
    readonly words?: NoteWords
    readonly cacheOver?: true
    readonly worth?: CutWorth
  }
  readonly earlierFiles?: readonly EarlierFile[]
  /** The oldest turn that was loaded; absent where there was none. */
  readonly historyFrom?: string
  /** How attached files were framed, as the layout had it. */
  readonly fileFrame: FileFrame
  readonly images?: ImageSupport
  readonly options: RecordedOptions
  readonly conversation?: string
  /** What was announced of changes of the head since it was composed. Absent where nothing was. */
  readonly head?: HeadRecord
}

/** Writes the parts of an input beside the log and returns their record; the conversation, too, where no log has it. */
export async function recordInput(
  store: SessionStore,
  input: AssemblyInput,
  {
    layout,
    inSession,
    options,
    head,
    holds = () => undefined,
  }: {
    readonly layout: LayoutChoice
    readonly inSession: boolean
    readonly options: RecordedOptions
    readonly head?: FrozenParts
    /** Sessions whose words a layer contains, by its id; `conversation` for a conversation that is in no session. */
    readonly holds?: (id: string) => readonly string[] | undefined
  },
): Promise<CallInput> {
  const put = async (value: unknown, sessions?: readonly string[]) =>
    `sha256:${await store.putContent(JSON.stringify(value), sessions)}`
  const [layers, tools, conversation] = await Promise.all([
    Promise.all(input.layers.map((layer) => put(layer, holds(layer.id)))),
    put(input.tools ?? []),
    inSession ? undefined : put({ history: input.history, current: input.current }, holds('conversation')),
  ])
  const ofHead =
    head &&
    (await recordHead(head, (value, ids = []) =>
      put(
        value,
        ids.flatMap((id) => holds(id) ?? []),
      ),
    ))
  const first = new Set(input.cut?.first)
  const from = input.history.find(({ id }) => !first.has(id))?.id
  const earlierFiles = announcedFiles(input)
  return {
    layout,
    counter: input.counter.id,
    budget: input.budget,
    layers,
    tools,
    ...defined({ cut: input.cut, earlier: input.earlier }),
    ...(input.notes
      ? {
          notes: defined({
            first: input.layout.notes!.first,
            words: input.notes.words,
            cacheOver: input.notes.cacheOver || undefined,
            worth: input.notes.worth,
          }),
        }
      : {}),
    ...(earlierFiles.length > 0 ? { earlierFiles } : {}),
    fileFrame: input.layout.fileFrame,
    options,
    ...defined({ images: input.images, head: ofHead }),
    ...(conversation ? { conversation } : from === undefined ? {} : { historyFrom: from }),
  }
}

/** The input of an earlier call; `historyTokens`: of its uncut history. Rejects with `missing-content` where a part is gone. */
export async function restoreInput(
  store: SessionStore,
  record: CallRecord,
  counters: Counters,
  historyTokens?: number,
): Promise<AssemblyInput> {
  const input = record.input as CallInput
  const get = async (reference: string): Promise<unknown> => {
    const text = await readReferredContent(store, reference)
    if (text === undefined) throw await missingContentError(store, reference, record.id)
    return JSON.parse(text)
  }
  const used = layoutOf(input.layout)
  const layout = {
    ...used,
    fileFrame: input.fileFrame,
    ...(used.notes && input.notes && { notes: { ...used.notes, first: input.notes.first } }),
  }
  const counter = await counters(input.counter)
  const layers = (await Promise.all(input.layers.map(get))) as Layer[]
  const tools = (await get(input.tools)) as ToolDefinition[]
  const rest = {
    layout,
    layers,
    tools,
    budget: input.budget,
    counter,
    model: record.model,
    ...defined({ cut: input.cut, earlier: input.earlier, images: input.images }),
  }
  if (input.conversation) {
    return { ...rest, ...((await get(input.conversation)) as { history: readonly Turn[]; current: Turn }) }
  }
  const { session = '', turn = '', upTo = 0 } = record
  const wanted =
    historyTokens === undefined
      ? { limit: Number.MAX_SAFE_INTEGER, cut: { dropBefore: input.historyFrom ?? '' } }
      : { limit: historyTokens, cut: undefined }
  const loaded = input.historyFrom
    ? await loadHistory(store, {
        session,
        current: turn,
        ...wanted,
        layout,
        counter,
        upTo,
        cache: undefined,
      })
    : undefined
  const noted =
    input.notes && historyTokens === undefined
      ? await readHistoryNotes(store, {
          session,
          cut: input.cut,
          counter,
          keepsPartial: layout.keepsPartialAnswers,
          words: input.notes.words,
          cacheOver: input.notes.cacheOver,
          worth: input.notes.worth,
          upTo,
        })
      : undefined
  if (input.notes && historyTokens === undefined && !noted) throw await missingNote(store, record)
  const entries = withEdits(await store.entries(session, { turn, upTo }))
  const current = projectTurn(turn, entries, { counter, keepsPartial: false })
  const ofFirst = noted?.first.flatMap((each) => each.files) ?? []
  const files = [
    ...ofFirst,
    ...(loaded?.files ?? []),
    ...inputFiles(entries.filter((entry) => entry.type === 'input' || entry.type === 'message')),
  ]
  const attachments = [
    ...(await announcedMessages(input.head, get)),
    ...earlierAttachments(input.earlierFiles ?? []),
    ...(await loadAttachments(store, files)),
  ]
  const undone = loaded?.undone ?? []
  const { cut: _cut, earlier: _earlier, ...uncut } = rest
  return {
    ...(historyTokens === undefined ? rest : { ...uncut, ...defined({ earlier: loaded?.earlier }) }),
    history: [...(noted?.first.map((each) => each.turn) ?? []), ...(loaded?.turns ?? [])],
    ...defined({ notes: noted?.notes }),
    current,
    ...(undone.length > 0 ? { undone } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
  }
}

async function missingNote(store: SessionStore, { id, input }: CallRecord): Promise<RuntimeError> {
  for (const { content } of (input as CallInput).cut?.notes ?? []) {
    if ((await readReferredContent(store, content)) === undefined) return missingContentError(store, content, id)
  }
  return missingContentError(store, 'of its notes', id)
}

/** What a call cannot be built again without. */
export async function missingContentError(store: SessionStore, content: string, call: string): Promise<RuntimeError> {
  if (await store.contentWasRemoved(content.replace('sha256:', ''))) {
    return new RuntimeError(
      'missing-content',
      `The content ${content} of call ${call} was removed together with the session whose words it held, or when that had rested for longer than keep.bodyDays. The call cannot be built again.`,
      { call, content },
    )
  }
  return new RuntimeError(
    'missing-content',
    `The content ${content} of call ${call} is missing from the store. Bring it back with \`foreword restore\` from a backup that has it; \`foreword doctor\` names everything that is missing.`,
    { call, content },
  )
}

/** What is recorded of a call that sent its caller's own messages and tools: `verbatim` refers to `{tools, messages}`. */
interface VerbatimRecord {
  readonly verbatim: string
  readonly counter: string
  readonly budget: Budget
  readonly options: RecordedOptions
}

/** Writes the messages and tools beside the log and returns the record of them. */
export async function recordVerbatim(
  store: SessionStore,
  input: VerbatimInput,
  options: RecordedOptions,
  holds?: readonly string[],
): Promise<VerbatimRecord> {
  const { messages, tools = [], budget, counter } = input
  const parts: string[] = []
  await inSlices(store.clock, jsonParts({ tools, messages }), (part) => void parts.push(part))
  if (parts.length > 1) await timeSlice(store.clock).rest()
  const text = parts.join('')
  // To put a long text together takes as long as to hash it.
  if (parts.length > 1) await timeSlice(store.clock).rest()
  const reference = `sha256:${await store.putContent(text, holds)}`
  return { verbatim: reference, counter: counter.id, budget, options }
}

/** Whether an earlier call was sent as its caller wrote it. */
export function isVerbatim({ input }: CallRecord): boolean {
  return typeof (input as Partial<VerbatimRecord>).verbatim === 'string'
}

/** The input of such a call. Rejects with `missing-content` where it is gone. */
export async function restoreVerbatim(
  store: SessionStore,
  { id, model, input }: CallRecord,
  counters: Counters,
): Promise<VerbatimInput> {
  const { verbatim: reference, counter, budget } = input as VerbatimRecord
  const text = await readReferredContent(store, reference)
  if (text === undefined) throw await missingContentError(store, reference, id)
  const { tools, messages } = JSON.parse(text) as Pick<VerbatimInput, 'messages'> & { tools: readonly ToolDefinition[] }
  return { tools, messages, budget, counter: await counters(counter), model }
}
