import { type Clock, type FileLibrary, type Preview, type PreviewOptions, RuntimeError } from '../../capability.ts'
import { ContextOverflowError } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { InputOptions } from '../../session.ts'
import { attemptWithPictures } from '../calls/attempt-call.ts'
import { seal } from '../ledger/seal.ts'
import { countInSlices } from '../models/counters.ts'
import { sessionNotFound } from '../sessions/admission.ts'
import { messageWithFiles } from '../sessions/message-files.ts'
import { usableCut } from '../sessions/session-cut.ts'
import type { SessionState, SessionStates } from '../sessions/session-state.ts'
import type { PreparedTurn, SaidInTurn } from './prepare-turn.ts'
import { tokenCounts } from './turn-projection.ts'

interface PreviewParts {
  readonly prepare: (state: Partial<SessionState>, asked: InputOptions, said: SaidInTurn) => Promise<PreparedTurn>
  readonly states: SessionStates
  readonly clock: Clock
  readonly library: FileLibrary | undefined
}

/** What the next call would send. Reads only. */
export async function previewCall(
  { prepare, states, clock, library }: PreviewParts,
  { session, input = '', model: askedModel, system, choices, attachments: ids = [] }: PreviewOptions,
): Promise<Preview> {
  const state = session === undefined ? undefined : await states.of(session)
  if (session !== undefined && !state) throw sessionNotFound(session)
  const asked = {
    ...defined({ model: askedModel, system }),
  }
  const name = session ?? NEW_SESSION
  const { message, attachments } = await messageWithFiles(library, name, input, ids)
  const { model, context } = await prepare({ ...state, choices: { ...state?.choices, ...choices } }, asked, {
    text: input,
    ...(ids.length > 0 ? { attachments: ids } : {}),
    keeps: false,
  })
  const counted = {
    message,
    tokens: (await countInSlices(context.settings.counter, (counter) => tokenCounts(counter, message))).full,
  }
  const says = input !== '' || ids.length > 0
  const { outcome } = await attemptWithPictures(context, library, {
    model,
    session: name,
    files: attachments.map((file) => ({ ...file, turn: NEXT_TURN })),
    hasHistory: state !== undefined,
    loggedTurn: undefined,
    current: { id: NEXT_TURN, messages: says ? [counted] : [] },
    time: clock.time(),
    cut: state && usableCut(state, context, model),
    last: false,
  })
  if (outcome instanceof ContextOverflowError) {
    throw new RuntimeError('context-overflow', outcome.message, { manifest: outcome.manifest }, { cause: outcome })
  }
  return { model: model.id, request: outcome.request, manifest: seal(outcome).manifest }
}

/** No turn has this id. */
const NEXT_TURN = 'next-turn'

/** No session has this name, so it has no history either. */
const NEW_SESSION = 'new'
