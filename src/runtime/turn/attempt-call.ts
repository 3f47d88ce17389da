import { defined } from '../../platform.ts'
import type { FileLibrary } from '../../capability.ts'
import {
  type Assembly,
  type AssemblyInput,
  available,
  type Budget,
  ContextOverflowError,
  type Cut,
  type CutWorth,
  type Layer,
  type Layout,
  layoutOf,
  type NoteWords,
  type PlacedCall,
  type Request,
  type Turn,
} from '../../context.ts'
import { modelImageSupport, type Model } from '../../model.ts'
import { sentDefinition } from '../../tool.ts'
import { type FoldReason, type HeadQuestion, withPinnedHead } from './frozen-head.ts'
import type { FrozenParts } from '../calls/head-record.ts'
import { assembleInSlices } from '../models/counters.ts'
import { type AssemblyContext, layersFor } from './assembly-context.ts'
import { loadAttachments, findEarlierFiles, type TurnFile, withPictures } from '../calls/attachments.ts'
import { accountWithinLearned, budgetFor, type SizeRefusal } from '../models/call-budget.ts'
import { besideFirst, type NotedHistory, readNotedHistory, withoutNotes } from '../calls/noted-history.ts'
import { loadHistory } from '../calls/history-loader.ts'

export interface CallQuestion {
  readonly model: Model
  readonly session: string | undefined
  /** `false` for a session that is known to have no settled turn: nothing is read. */
  readonly hasHistory: boolean
  /** `undefined` in a preview: the turn is not in the log. */
  readonly loggedTurn: string | undefined
  readonly current: Turn
  readonly files?: readonly TurnFile[]
  readonly time: string
  readonly cut: Cut | undefined
  readonly words?: NoteWords | undefined
  /** Nothing of the session is in the provider's cache any more. */
  readonly cacheOver?: boolean
  /** What a cut is weighed by that need not be made yet, by what is available for the prompt, tokens. */
  readonly worth?: (available: number) => CutWorth | undefined
  /** The model has to answer without calling a tool. */
  readonly last: boolean
  readonly cites?: boolean
  readonly gone?: readonly string[]
  readonly deeper?: SizeRefusal
  /** Reads so much of the history, tokens, whatever was cut: to try what a larger window would do. What can fit unless given. */
  readonly historyTokens?: number
  /** What the session's calls have begun with. Absent: the head is composed. */
  readonly head?: HeadQuestion
  /** Where the session's last calls had their layers, oldest first. */
  readonly recent?: readonly PlacedCall[]
}

/** An assembly, or the account of why there is none, with the input that led to it. */
interface Attempt {
  readonly input: AssemblyInput
  readonly toolChoice: 'auto' | 'none'
  readonly outcome: Assembly | ContextOverflowError
  readonly head: FrozenParts & { readonly folded?: FoldReason }
}

/** Collects layers, tools, history and budget, and assembles. Only reads. */
async function attemptCall(context: AssemblyContext, question: CallQuestion): Promise<Attempt> {
  const { settings, store } = context
  const { model, session, current, last } = question
  const layout = layoutOf(settings.layout)
  const budget = budgetFor(context, model, question.deeper)
  const allowed = model.facts.tools && session !== undefined ? await context.allowedTools() : []
  const keepsTools = !last || model.facts.toolChoiceNone
  const tools = keepsTools ? allowed.map((tool) => sentDefinition(tool).definition) : []

  // Decided by what is allowed, not by what a message finds, so that the head stays as it is from call to call.
  const parts = [...(context.turn?.parts.values() ?? [])]
  const readsForeign = allowed.some(({ readsContext }) => !readsContext) || parts.some((part) => part.readsForeign)
  // Documents in the request can be cited before anything was searched.
  const citesDocuments = layout.citations.fromFirstStep && parts.some(({ sources = [] }) => sources.length > 0)
  const layers = await layersFor(context, {
    time: question.time,
    layout,
    tools: tools.map((tool) => tool.name),
    callsTools: model.facts.tools && session !== undefined,
    model: model.id,
    readsForeign,
    cites: (question.cites ?? false) || citesDocuments,
    ...(session === undefined ? {} : { session, turn: current.id }),
  })
  // A just-fit layout cuts again at every call; marks are kept only where a cut leaves room.
  const marks = layout.cut.lowWater < 1 && question.historyTokens === undefined ? question.cut : undefined
  const noted = await notedHistory(context, question, { layout, cut: marks, budget })
  const cut = noted ? marks : withoutNotes(marks)
  const history =
    session !== undefined && question.hasHistory
      ? await loadHistory(store, {
          session,
          current: question.loggedTurn,
          limit: question.historyTokens ?? budget.window - budget.reserve,
          cut,
          layout,
          counter: settings.counter,
          cache: context.cache,
        })
      : { turns: [], earlier: undefined, files: [], since: undefined, undone: [] }
  const files = question.files ?? []
  const ofFirst = noted?.first.flatMap((each) => each.files) ?? []
  const loaded = { ...history, files: [...ofFirst, ...history.files] }
  const before = session === undefined ? [] : await findEarlierFiles(store, session, loaded, files)
  const attachments = [...before, ...(await loadAttachments(store, [...loaded.files, ...files]))]
  const { earlier } = noted ? besideFirst(history, noted) : history
  const input: AssemblyInput = {
    layout,
    layers: last && allowed.length > 0 ? [...layers, lastStepReminder] : layers,
    history: [...(noted?.first.map(({ turn }) => turn) ?? []), ...history.turns],
    current,
    tools,
    budget,
    counter: settings.counter,
    model: model.id,
    images: { ...modelImageSupport(model), ...(question.gone?.length ? { gone: question.gone } : {}) },
    ...defined({ cut, earlier, notes: noted?.notes }),
    ...(history.undone.length > 0 ? { undone: history.undone } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
  }
  const { attempt, ...head } = await withPinnedHead(
    context,
    model,
    { head: question.head, composed: input, keepsTools, recent: question.recent ?? [] },
    (asked) =>
      accountWithinLearned(
        context,
        model,
        asked,
        (each) => assembleInSlices(context.store.clock, each),
        question.deeper,
      ),
  )
  return { toolChoice: last ? 'none' : 'auto', ...attempt, head }
}

/** The notes of a session and its first turns; `undefined` where there are none, or where they are not of this conversation. */
async function notedHistory(
  { settings, store }: AssemblyContext,
  { session, historyTokens, loggedTurn, words, cacheOver, worth }: CallQuestion,
  { layout, cut, budget }: { readonly layout: Layout; readonly cut: Cut | undefined; readonly budget: Budget },
): Promise<NotedHistory | undefined> {
  const { counter, notes = 'off' } = settings
  const has = layout.notes !== undefined && layout.cut.lowWater < 1 && notes !== 'off'
  if (session === undefined || historyTokens !== undefined || !has) return undefined
  // Without words a note loses more: it is made where it must.
  const isEarly = notes === 'index' || words !== undefined
  return readNotedHistory(store, {
    session,
    answering: loggedTurn,
    cut,
    words: notes === 'model' ? words : undefined,
    cacheOver: isEarly ? cacheOver : undefined,
    worth: isEarly ? worth?.(available(budget)) : undefined,
    counter,
    keepsPartial: layout.keepsPartialAnswers,
  })
}

/** An attempt, and what leaves for the provider: the request with the bytes of its images. */
export interface PicturedAttempt extends Attempt {
  /** Absent where the attempt overflowed. */
  readonly request?: Request
  readonly gone: readonly string[]
}

/** Attempts a call and reads its images. A missing one is assembled as a marker, so that what is recorded is what leaves. */
export async function attemptWithPictures(
  context: AssemblyContext,
  library: FileLibrary | undefined,
  question: CallQuestion,
): Promise<PicturedAttempt> {
  let gone = question.gone ?? []
  for (;;) {
    const attempt = await attemptCall(context, { ...question, gone })
    if (attempt.outcome instanceof ContextOverflowError) return { ...attempt, gone }
    const { request, missing } = await withPictures(attempt.outcome.request, library)
    if (missing.length === 0) return { ...attempt, request, gone }
    gone = [...gone, ...missing]
  }
}

/** The last step's reminder (BEHAVIOURS §1.6). It names no tool, since none can be called. */
const lastStepReminder: Layer = {
  id: 'last-step',
  layer: 'reminder',
  renditions: [
    {
      form: 'full',
      text: 'This is the last step of this turn. No tool can be called any more: answer now with what you have, and say what is missing.',
    },
  ],
  origin: { kind: 'operator', ref: 'foreword' },
}
