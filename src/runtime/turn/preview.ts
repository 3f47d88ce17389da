import {
  type Clock,
  type Preview,
  type Runtime,
  RuntimeError,
  type ScenarioOptions,
  type TriedOptions,
} from '../../capability.ts'
import {
  type AssemblyInput,
  callFigures,
  changedScenario,
  ContextOverflowError,
  forecastRange,
  type LayoutChoice,
  placedCall,
  priceOfModel,
  type Scenario,
  type ScenarioChanges,
  scenarioInput,
} from '../../context.ts'
import { defined } from '../../platform.ts'
import type { Choices, InputOptions, LogStore } from '../../session.ts'
import { assembleCall, type AskedTurn, NEW_SESSION } from './assemble-call.ts'
import { placementRules, withPlacementPrices } from '../calls/recent-placements.ts'
import { inputAsScenario } from '../calls/call-scenario.ts'
import { runtimeFailure } from '../failure.ts'
import { seal } from '../calls/seal.ts'
import { assembleInSlices, countInSlices } from '../models/counters.ts'
import { sessionNotFound, requireOwnSession } from '../sessions/not-found.ts'
import { type MessageFiles, messageWithFiles } from '../sessions/message-files.ts'
import { usableCut } from '../sessions/session-cut.ts'
import type { SessionState, SessionStates } from '../sessions/session-state.ts'
import type { PreparedTurn, SaidInTurn } from './prepare-turn.ts'
import { addForecast, type ForecastPlace, nextCacheLife } from './call-forecast.ts'
import { tokenCounts } from '../calls/turn-projection.ts'

interface PreviewParts {
  readonly prepare: (state: Partial<SessionState>, asked: InputOptions, said: SaidInTurn) => Promise<PreparedTurn>
  readonly store: Pick<LogStore, 'entries'>
  readonly states: SessionStates
  readonly clock: Clock
  readonly files: MessageFiles
  readonly readFingerprint: ForecastPlace['readFingerprint']
}

/** Accounts of calls that are not made, and their inputs. */
export function createPreviews(
  parts: PreviewParts,
  { checkChoices }: { checkChoices(choices: Choices): Promise<void> },
): Pick<Runtime, 'preview' | 'nextScenario'> {
  const checked = async <O extends { readonly choices?: Choices }, R>(
    options: O,
    make: (parts: PreviewParts, options: O) => Promise<R>,
  ): Promise<R> => {
    try {
      await checkChoices(options.choices ?? {})
      return await make(parts, options)
    } catch (error) {
      throw runtimeFailure(error)
    }
  }
  return {
    preview: (options) => checked(options, previewCall),
    nextScenario: (options) => checked(options, nextScenario),
  }
}

/** What the next call would send. Reads only. */
export async function previewCall(
  parts: PreviewParts,
  options: TriedOptions & { readonly composes?: boolean },
): Promise<Preview> {
  const { turn, call } = await assembleNext(parts, options)
  const { input, recent } = call
  const { model, clock, id, context, state = NO_CALLS } = turn
  const tried = options.changes && tryChanges(input, options.changes, context.settings.layout)
  const outcome = tried ? await assembleInSlices(clock, tried) : call.outcome
  if (outcome instanceof ContextOverflowError) {
    throw new RuntimeError('context-overflow', outcome.message, { manifest: outcome.manifest }, { cause: outcome })
  }
  const place = { ...turn, state, readFingerprint: parts.readFingerprint }
  const forecast = await addForecast(place, seal(outcome), nextCacheLife(place, recent))
  const placed = placedCall(forecast, { turn: id, at: Date.parse(clock.time()) })
  const manifest = withPlacementPrices(forecast, [...recent, placed], placementRules(model, input.layout))
  const price = priceOfModel(model.facts)
  const cost = price && manifest.forecast && forecastRange(manifest.forecast, manifest.budget.reserve, price)
  const figures = callFigures(manifest, { price })
  return { model: model.id, request: outcome.request, manifest, figures, ...defined({ cost, free: model.facts.free }) }
}

function tryChanges(input: AssemblyInput, changes: ScenarioChanges, layout: LayoutChoice): AssemblyInput {
  const scenario = inputAsScenario('the next call', input, layout)
  const changed = scenarioInput(changedScenario(scenario, changes), [input.counter])
  // Changes leave the conversation as it is. Its counts are those of the log: another way of counting is a token or two off.
  const { history, current, attachments } = input
  return { ...changed, history, current, ...defined({ attachments }) }
}

/** Of a session that does not exist yet. */
const NO_CALLS: ForecastPlace['state'] = { lastCall: undefined, reads: new Map() }

/** The input of the next call as a scenario, one that does not fit too. Reads only. */
async function nextScenario(parts: PreviewParts, options: ScenarioOptions): Promise<Scenario> {
  const { turn, call } = await assembleNext(parts, options)
  return inputAsScenario(`next call of ${options.session ?? 'a new session'}`, call.input, turn.context.settings.layout)
}

async function assembleNext(
  { prepare, states, clock, files }: PreviewParts,
  {
    session,
    input = '',
    model: askedModel,
    system,
    choices,
    attachments: ids = [],
    history,
    composes = false,
  }: ScenarioOptions & { readonly composes?: boolean },
) {
  const state = session === undefined ? undefined : await states.of(session)
  if (session !== undefined && !state) throw sessionNotFound(session)
  if (state) requireOwnSession(state)
  const all = { ...state?.choices, ...choices }
  const of = { session: session ?? NEW_SESSION, choices: all, model: askedModel ?? state?.model }
  const { message, attachments } = await messageWithFiles(files, of, input, ids)
  const asked = defined({ model: askedModel, system })
  const said = { text: input, ...(ids.length > 0 ? { attachments: ids } : {}), keeps: false }
  const { model, context } = await prepare({ ...state, choices: all }, asked, said)
  const { counter } = context.settings
  const tokens = (await countInSlices(clock, counter, (each) => tokenCounts(each, message))).full
  const turn: AskedTurn = {
    context,
    model,
    clock,
    library: files.library,
    state,
    id: NEXT_TURN,
    time: clock.time(),
    files: attachments.map((file) => ({ ...file, turn: NEXT_TURN })),
    isLogged: false,
    historyTokens: history,
    composes,
  }
  const says = input !== '' || ids.length > 0
  const cut = state && usableCut(state, context, model)
  return { turn, call: await assembleCall(turn, { messages: says ? [{ message, tokens }] : [], cut, last: false }) }
}

/** No turn has this id. */
const NEXT_TURN = 'next-turn'
