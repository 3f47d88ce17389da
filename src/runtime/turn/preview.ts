import {
  type Clock,
  type Preview,
  type PreviewOptions,
  type Runtime,
  RuntimeError,
  type ScenarioOptions,
} from '../../capability.ts'
import { ContextOverflowError, forecastRange, type Scenario } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { Choices, InputOptions, LogStore } from '../../session.ts'
import { attemptWithPictures } from './attempt-call.ts'
import { placementRules, readPlacements, withPlacementPrices } from '../calls/recent-placements.ts'
import { inputAsScenario } from '../calls/call-scenario.ts'
import { runtimeFailure } from '../failure.ts'
import { readPin } from '../calls/head-pin.ts'
import { isCacheOver, weighedCut } from './weighed-cut.ts'
import { seal } from '../calls/seal.ts'
import { countInSlices } from '../models/counters.ts'
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
  options: PreviewOptions & { readonly composes?: boolean },
): Promise<Preview> {
  const {
    model,
    outcome,
    context,
    input,
    state = { lastCall: undefined, readCall: undefined, reads: new Map() },
  } = await attemptNext(parts, options)
  if (outcome instanceof ContextOverflowError) {
    throw new RuntimeError('context-overflow', outcome.message, { manifest: outcome.manifest }, { cause: outcome })
  }
  const { clock, readFingerprint } = parts
  const recent = await readPlacements(context.store, 'session' in state ? state : undefined)
  const place = { context, state, model, clock, readFingerprint }
  const forecast = await addForecast(place, seal(outcome), nextCacheLife(place, input.current.id, recent))
  const call = { manifest: forecast, turn: input.current.id, at: Date.parse(clock.time()) }
  const manifest = withPlacementPrices(call, recent, placementRules(model, input.layout))
  const { price, free } = model.facts
  const cost = price && manifest.forecast && forecastRange(manifest.forecast, manifest.budget.reserve, price)
  return { model: model.id, request: outcome.request, manifest, ...defined({ cost, free }) }
}

/** The input of the next call as a scenario, one that does not fit too. Reads only. */
async function nextScenario(parts: PreviewParts, options: ScenarioOptions): Promise<Scenario> {
  const { input, context } = await attemptNext(parts, options)
  return inputAsScenario(`next call of ${options.session ?? 'a new session'}`, input, context.settings.layout)
}

async function attemptNext(
  { prepare, states, clock, files, store: log }: PreviewParts,
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
  if (state) await requireOwnSession(log, state.session)
  const asked = {
    ...defined({ model: askedModel, system }),
  }
  const name = session ?? NEW_SESSION
  const all = { ...state?.choices, ...choices }
  const of = { session: name, choices: all, model: askedModel ?? state?.model }
  const { message, attachments } = await messageWithFiles(files, of, input, ids)
  const { model, context } = await prepare({ ...state, choices: all }, asked, {
    text: input,
    ...(ids.length > 0 ? { attachments: ids } : {}),
    keeps: false,
  })
  const counted = {
    message,
    tokens: (await countInSlices(clock, context.settings.counter, (counter) => tokenCounts(counter, message))).full,
  }
  const { store } = context
  const now = Date.parse(clock.time())
  const recent = await readPlacements(store, state)
  const says = input !== '' || ids.length > 0
  const attempt = await attemptWithPictures(context, files.library, {
    model,
    session: name,
    files: attachments.map((file) => ({ ...file, turn: NEXT_TURN })),
    hasHistory: state !== undefined,
    loggedTurn: undefined,
    current: { id: NEXT_TURN, messages: says ? [counted] : [] },
    time: clock.time(),
    cut: state && usableCut(state, context, model),
    ...(state ? { head: { pin: composes ? undefined : await readPin(store, state), read: state.readCall, now } } : {}),
    recent,
    words: state?.words,
    ...(state ? { cacheOver: isCacheOver({ state, model, now }) } : {}),
    worth: (available) => state && weighedCut({ context, model, state, recent, now }, available),
    last: false,
    ...defined({ historyTokens: history }),
  })
  return { ...attempt, model, context, state }
}

/** No turn has this id. */
const NEXT_TURN = 'next-turn'

/** No session has this name, so it has no history either. */
const NEW_SESSION = 'new'
