import {
  assemble,
  type Assembly,
  type AssemblyInput,
  type Budget,
  ContextOverflowError,
  type Cut,
  type Layer,
  layoutOf,
  type ToolDefinition,
  type Turn,
} from '../context.ts'
import type { LayerContext } from '../plugin.ts'
import type { Model } from '../model.ts'
import type { SessionStore } from '../session.ts'
import type { CalibrationBook } from './calibration-book.ts'
import { loadHistory } from './history-loader.ts'
import { lastStepReminder } from './last-step.ts'
import type { TurnShelf } from './turn-shelf.ts'
import { reserveFor, type RuntimeSettings } from './settings.ts'

/** What every assembly of a runtime draws on. */
export interface Workbench {
  readonly store: SessionStore
  readonly settings: RuntimeSettings
  readonly calibration: CalibrationBook
  readonly shelf: TurnShelf
  layers(context: LayerContext): Promise<readonly Layer[]>
  /** Tools that are offered in every step. */
  readonly tools: readonly ToolDefinition[]
  /** Offered once something of a conversation was cut. */
  readonly historyTool: ToolDefinition
}

/** One call that is to be assembled. */
export interface CallQuestion {
  readonly model: Model
  readonly session: string | undefined
  /** `false` for a session that is known to have no settled turn: nothing is read. */
  readonly hasHistory: boolean
  /** `undefined` in a preview: the turn is not in the log. */
  readonly loggedTurn: string | undefined
  readonly current: Turn
  /** ISO time of the input. */
  readonly time: string
  /** Marks of the session's last cut. */
  readonly cut: Cut | undefined
  /** The model has to answer without calling a tool. */
  readonly last: boolean
  /** A provider refused the call before this one as too large. */
  readonly deeper?: { readonly limit: number | undefined; readonly sent: number | undefined; readonly used: number }
}

/** An assembly, or the account of why there is none, with the input that led to it. */
export interface Attempt {
  readonly input: AssemblyInput
  readonly toolChoice: 'auto' | 'none'
  readonly outcome: Assembly | ContextOverflowError
}

/**
 * Collects layers, history and budget, and assembles. Only reads. The tool that reads history is offered once something
 * was cut: where this very call makes the first cut, it is assembled again with the tool.
 */
export async function attemptCall(bench: Workbench, question: CallQuestion): Promise<Attempt> {
  const wasCut = question.cut !== undefined
  const first = await attempt(bench, question, wasCut)
  if (wasCut || first.outcome instanceof ContextOverflowError || !wasReduced(first.outcome)) return first
  return attempt(bench, question, true)
}

function wasReduced({ manifest }: Assembly): boolean {
  return manifest.cut !== undefined || manifest.entries.some((entry) => entry.id === 'earlier')
}

async function attempt(bench: Workbench, question: CallQuestion, offersHistory: boolean): Promise<Attempt> {
  const { settings, store } = bench
  const { model, session, current, last } = question
  const layout = layoutOf(settings.layout)
  const budget = budgetFor(bench, question)
  const inSession = session !== undefined && model.facts.tools
  const offered = inSession ? [...bench.tools, ...(offersHistory ? [bench.historyTool] : [])] : []
  const keepsTools = !last || model.facts.toolChoiceNone
  const tools = keepsTools ? offered : []

  const layers = await bench.layers({
    time: question.time,
    layout: layout.name,
    tools: tools.map((tool) => tool.name),
    model: model.id,
    ...(session === undefined ? {} : { session, turn: current.id }),
  })
  // A just-fit layout cuts anew at every call; only where a cut leaves room do its marks stay.
  const cut = layout.cut.lowWater < 1 ? question.cut : undefined
  const history =
    session !== undefined && question.hasHistory
      ? await loadHistory(store, {
          session,
          current: question.loggedTurn,
          limit: budget.window - budget.reserve,
          cut,
          layout,
          counter: settings.counter,
          shelf: bench.shelf,
        })
      : { turns: [], earlier: undefined }
  const input: AssemblyInput = {
    layout,
    layers: last && offered.length > 0 ? [...layers, lastStepReminder] : layers,
    history: history.turns,
    current,
    tools,
    budget,
    counter: settings.counter,
    model: model.id,
    ...(cut ? { cut } : {}),
    ...(history.earlier ? { earlier: history.earlier } : {}),
  }
  return { input, toolChoice: last ? 'none' : 'auto', outcome: tryToAssemble(input) }
}

/** Assembles; an overflow is an answer too. */
export function tryToAssemble(input: AssemblyInput): Assembly | ContextOverflowError {
  try {
    return assemble(input)
  } catch (error) {
    if (error instanceof ContextOverflowError) return error
    throw error
  }
}

/** The budget of a call, with the margin that was configured or learned. All in tokens. */
export function budgetFor(
  { settings, calibration }: Pick<Workbench, 'settings' | 'calibration'>,
  { model, deeper }: Pick<CallQuestion, 'model' | 'deeper'>,
): Budget {
  const window = windowOf(calibration, model)
  const reserve = reserveFor(settings, { ...model.facts, window })
  const room = Math.max(0, window - reserve)
  const learned = settings.margin ?? calibration.margin(model.id, settings.counter, room)
  if (!deeper) return { window, reserve, margin: learned }
  return { window, reserve, margin: Math.max(learned, room - deeperRoom(room - learned, deeper, reserve)) }
}

/** What the model is known for, unless its server has said that it takes less, tokens. */
export function windowOf(calibration: CalibrationBook, { id, facts }: Model): number {
  return Math.min(facts.window, calibration.limit(id) ?? facts.window)
}

/** How much of the room is tried next: what the server says it takes, measured in our counter's tokens, less a tenth. */
function deeperRoom(room: number, deeper: NonNullable<CallQuestion['deeper']>, reserve: number): number {
  const { limit, sent, used } = deeper
  if (limit === undefined) return Math.floor(Math.min(room, used) * 0.7)
  const perToken = sent !== undefined && used > 0 ? Math.max(1, sent / used) : 1.1
  return Math.max(0, Math.floor(Math.min(room, (limit - Math.min(reserve, limit / 2)) / perToken) * 0.9))
}
