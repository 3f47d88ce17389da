import {
  assemble,
  type Assembly,
  type AssemblyInput,
  ContextOverflowError,
  type Cut,
  layoutOf,
  type Turn,
} from '../context.ts'
import type { Model } from '../model.ts'
import { budgetFor, type Refusal } from './call-budget.ts'
import { loadHistory } from './history-loader.ts'
import { lastStepReminder } from './last-step.ts'
import type { Workbench } from './workbench.ts'

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
  readonly deeper?: Refusal
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
  const first = await attempt(bench, question, { offersHistory: wasCut })
  if (wasCut || first.outcome instanceof ContextOverflowError || !wasReduced(first.outcome)) return first
  return attempt(bench, question, { offersHistory: true })
}

function wasReduced({ manifest }: Assembly): boolean {
  return manifest.cut !== undefined || manifest.entries.some((entry) => entry.id === 'earlier')
}

async function attempt(
  bench: Workbench,
  question: CallQuestion,
  { offersHistory }: { readonly offersHistory: boolean },
): Promise<Attempt> {
  const { settings, store } = bench
  const { model, session, current, last } = question
  const layout = layoutOf(settings.layout)
  const budget = budgetFor(bench, model, question.deeper)
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
