import type { Clock, FileLibrary, LayerContext } from '../../capability.ts'
import {
  type Assembly,
  type AssemblyInput,
  available,
  type Budget,
  ContextOverflowError,
  type Cut,
  type Layer,
  type Layout,
  layoutOf,
  type PlacedCall,
  type Request,
  type Turn,
} from '../../context.ts'
import { modelImageSupport, type Model } from '../../model.ts'
import { defined } from '../../platform.ts'
import { sentDefinition } from '../../tool.ts'
import { type FoldReason, withPinnedHead } from './frozen-head.ts'
import type { FrozenParts } from '../calls/head-record.ts'
import { assembleInSlices } from '../models/counters.ts'
import type { AssemblyContext } from './assembly-context.ts'
import { loadAttachments, findEarlierFiles, type TurnFile, withPictures } from '../calls/attachments.ts'
import { accountWithinLearned, budgetFor, type SizeRefusal } from '../models/call-budget.ts'
import { besideFirst, type HistoryNotes, readHistoryNotes, withoutNotes } from '../calls/history-notes.ts'
import { loadHistory } from '../calls/history-loader.ts'
import { type HeadPin, readPin } from '../calls/head-pin.ts'
import { readPlacements } from '../calls/recent-placements.ts'
import type { SessionState } from '../sessions/session-state.ts'
import { isCacheOver } from '../calls/cache-life.ts'
import { weighedCut } from './weighed-cut.ts'

/** What a call is assembled for: a turn of a session, or one that is only looked at. */
export interface AskedTurn {
  readonly context: AssemblyContext
  readonly model: Model
  readonly clock: Clock
  /** Where images are; none is sent where it is absent. */
  readonly library: FileLibrary | undefined
  /** Absent: a session that does not exist yet. */
  readonly state: SessionState | undefined
  readonly id: string
  /** When its message came, ISO 8601. */
  readonly time: string
  readonly files: readonly TurnFile[]
  /** The turn is in the log. */
  readonly isLogged: boolean
  /** Reads so much of the history, tokens, whatever was cut: to try what a larger window would do. What can fit unless given. */
  readonly historyTokens?: number | undefined
  /** Composes the head as for a session that has none. */
  readonly composes?: boolean
}

/** One call of such a turn. */
export interface AskedStep {
  readonly messages: Turn['messages']
  /** Marks of the last cut, as far as they hold. */
  readonly cut: Cut | undefined
  /** The model has to answer without calling a tool. */
  readonly last: boolean
  readonly cites?: boolean
  /** Images that are no longer there. */
  readonly gone?: readonly string[]
  readonly deeper?: SizeRefusal
}

/** An assembly, or the account of why there is none, with the input that led to it. */
export interface CallAssembly {
  readonly input: AssemblyInput
  readonly toolChoice: 'auto' | 'none'
  readonly outcome: Assembly | ContextOverflowError
  readonly head: FrozenParts & { readonly folded?: FoldReason }
  /** What leaves for the provider: the request with the bytes of its images. Absent where the assembly overflowed. */
  readonly request?: Request
  readonly gone: readonly string[]
  /** Where the session's last calls had their layers, oldest first. */
  readonly recent: readonly PlacedCall[]
  /** Nothing of the session is in the provider's cache any more. */
  readonly cacheOver: boolean
}

/**
 * What the model will read: layers, tools, history and budget, and the images in it. A missing image is assembled as a marker, so
 * that what is recorded is what leaves. Only reads.
 */
export async function assembleCall(turn: AskedTurn, step: AskedStep): Promise<CallAssembly> {
  const { context, model, state, library, clock } = turn
  const now = Date.parse(clock.time())
  const recent = await readPlacements(context.store, state)
  const pin = state && !turn.composes ? await readPin(context.store, state) : undefined
  const cacheOver = state !== undefined && isCacheOver({ state, model, now })
  let gone = step.gone ?? []
  for (;;) {
    const call = await attemptCall(turn, { ...step, gone }, { now, recent, pin, cacheOver })
    const found = { ...call, gone, recent, cacheOver }
    if (call.outcome instanceof ContextOverflowError) return found
    const { request, missing } = await withPictures(call.outcome.request, library)
    if (missing.length === 0) return { ...found, request }
    gone = [...gone, ...missing]
  }
}

/** What is known of the session at the moment of the call. */
interface Known {
  readonly now: number
  readonly recent: readonly PlacedCall[]
  readonly pin: HeadPin | undefined
  readonly cacheOver: boolean
}

async function attemptCall(
  turn: AskedTurn,
  step: AskedStep,
  known: Known,
): Promise<Pick<CallAssembly, 'input' | 'toolChoice' | 'outcome' | 'head'>> {
  const { context, model, state, id } = turn
  const { settings, store } = context
  const { last } = step
  const session = state?.session ?? NEW_SESSION
  const layout = layoutOf(settings.layout)
  const budget = budgetFor(context, model, step.deeper)
  const allowed = model.facts.tools ? await context.allowedTools() : []
  const keepsTools = !last || model.facts.toolChoiceNone
  const tools = keepsTools ? allowed.map((tool) => sentDefinition(tool).definition) : []

  // Decided by what is allowed, not by what a message finds, so that the head stays as it is from call to call.
  const parts = [...(context.turn?.parts.values() ?? [])]
  const readsForeign = allowed.some(({ readsContext }) => !readsContext) || parts.some((part) => part.readsForeign)
  // Documents in the request can be cited before anything was searched.
  const citesDocuments = layout.citations.fromFirstStep && parts.some(({ sources = [] }) => sources.length > 0)
  const layers = await layersFor(context, {
    time: turn.time,
    layout,
    tools: tools.map((tool) => tool.name),
    callsTools: model.facts.tools,
    model: model.id,
    readsForeign,
    cites: (step.cites ?? false) || citesDocuments,
    session,
    turn: id,
  })
  // A just-fit layout cuts again at every call; marks are kept only where a cut leaves room.
  const marks = layout.cut.lowWater < 1 && turn.historyTokens === undefined ? step.cut : undefined
  const noted = await notedHistory(turn, known, { layout, cut: marks, budget })
  const cut = noted || !marks ? marks : withoutNotes(marks)
  const history = state?.hasHistory
    ? await loadHistory(store, {
        session,
        current: turn.isLogged ? id : undefined,
        limit: turn.historyTokens ?? budget.window - budget.reserve,
        cut,
        layout,
        counter: settings.counter,
        cache: context.cache,
      })
    : { turns: [], earlier: undefined, files: [], since: undefined, undone: [] }
  const { files } = turn
  const ofFirst = noted?.first.flatMap((each) => each.files) ?? []
  const loaded = { ...history, files: [...ofFirst, ...history.files] }
  const before = await findEarlierFiles(store, session, loaded, files)
  const attachments = [...before, ...(await loadAttachments(store, [...loaded.files, ...files]))]
  // Texts of megabytes were read in this moment, and are framed in another one.
  if (attachments.length > 0) await store.clock.yield()
  const { earlier } = noted ? besideFirst(history, noted) : history
  const input: AssemblyInput = {
    layout,
    layers: last && allowed.length > 0 ? [...layers, lastStepReminder] : layers,
    history: [...(noted?.first.map((each) => each.turn) ?? []), ...history.turns],
    current: { id, messages: step.messages },
    tools,
    budget,
    counter: settings.counter,
    model: model.id,
    images: { ...modelImageSupport(model), ...(step.gone?.length ? { gone: step.gone } : {}) },
    ...defined({ cut, earlier, notes: noted?.notes }),
    ...(history.undone.length > 0 ? { undone: history.undone } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
  }
  const { attempt, ...head } = await withPinnedHead(
    context,
    model,
    {
      head: state && { pin: known.pin, read: state.readCall, now: known.now },
      composed: input,
      keepsTools,
      recent: known.recent,
    },
    (asked) =>
      accountWithinLearned(context, model, asked, (each) => assembleInSlices(context.store.clock, each), step.deeper),
  )
  return { toolChoice: last ? 'none' : 'auto', ...attempt, head }
}

export function layersFor(
  { capabilities, turn }: Pick<AssemblyContext, 'capabilities' | 'turn'>,
  context: Omit<LayerContext, 'promptBlocks' | 'choices' | 'system' | 'only'>,
): Promise<readonly Layer[]> {
  const { choices = {}, system, only, parts } = turn ?? {}
  return capabilities.layers({ ...context, choices, ...(system && { system }), ...(only && { only }) }, parts)
}

/** No session has this name, so it has no history either. */
export const NEW_SESSION = 'new'

/** The notes of a session and its first turns; `undefined` where there are none, or where they are not of this conversation. */
async function notedHistory(
  { context, model, state, id, isLogged, historyTokens }: AskedTurn,
  { cacheOver, recent, now }: Known,
  { layout, cut, budget }: { readonly layout: Layout; readonly cut: Cut | undefined; readonly budget: Budget },
): Promise<HistoryNotes | undefined> {
  const { counter, notes = 'off' } = context.settings
  const has = layout.notes !== undefined && layout.cut.lowWater < 1 && notes !== 'off'
  if (historyTokens !== undefined || !has || !state?.hasHistory) return undefined
  // Without words a note loses more: it is made where it must.
  const isEarly = notes === 'index' || state.words !== undefined
  return readHistoryNotes(context.store, {
    session: state.session,
    answering: isLogged ? id : undefined,
    cut,
    words: notes === 'model' ? state.words : undefined,
    cacheOver: isEarly ? cacheOver : undefined,
    worth: isEarly ? weighedCut({ context, model, state, recent, now }, available(budget)) : undefined,
    counter,
    keepsPartial: layout.keepsPartialAnswers,
  })
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
