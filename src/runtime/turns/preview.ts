import { ContextOverflowError } from '../../context.ts'
import type { InputOptions } from '../../session.ts'
import { countedInSlices } from '../calls/counted-in-slices.ts'
import { noSuchSession } from '../sessions/admission.ts'
import type { Clock, FileLibrary, Preview } from '../../capability.ts'
import type { PreviewOptions } from '../contract.ts'
import { RuntimeError } from '../../capability/runtime-error.ts'
import type { PreparedTurn, SaidInTurn } from './prepare-turn.ts'
import { seal } from '../ledger/seal.ts'
import type { Desks, SessionDesk } from '../sessions/session-desk.ts'
import { usableCut } from '../sessions/session-cut.ts'
import { tokenCounts } from './turn-projection.ts'
import { attemptWithPictures } from '../calls/with-pictures.ts'

export interface PreviewParts {
  readonly prepare: (desk: Partial<SessionDesk>, asked: InputOptions, said: SaidInTurn) => Promise<PreparedTurn>
  readonly desks: Desks
  readonly clock: Clock
  readonly library: FileLibrary
}

/** What the next call would send. Reads only. */
export async function preview(
  { prepare, desks, clock, library }: PreviewParts,
  { session, input = '', model: askedModel, system, ...chosen }: PreviewOptions,
): Promise<Preview> {
  const desk = session === undefined ? undefined : await desks.of(session)
  if (session !== undefined && !desk) throw noSuchSession(session)
  const asked = {
    ...(askedModel === undefined ? {} : { model: askedModel }),
    ...(system === undefined ? {} : { system }),
  }
  const { model, bench } = await prepare({ ...desk, choices: { ...desk?.choices, ...chosen } }, asked, {
    text: input,
    keeps: false,
  })
  const message = { role: 'user', content: input } as const
  const counted = {
    message,
    tokens: (await countedInSlices(bench.settings.counter, (counter) => tokenCounts(counter, message))).full,
  }
  const { outcome } = await attemptWithPictures(bench, library, {
    model,
    session: session ?? NEW_SESSION,
    hasHistory: desk !== undefined,
    loggedTurn: undefined,
    current: { id: 'next-turn', messages: input === '' ? [] : [counted] },
    time: clock.time(),
    cut: desk && usableCut(desk, bench, model),
    last: false,
  })
  if (outcome instanceof ContextOverflowError) {
    throw new RuntimeError('context-overflow', outcome.message, { manifest: outcome.manifest }, { cause: outcome })
  }
  return { model: model.id, request: outcome.request, manifest: seal(outcome).manifest }
}

/** No session has this name, so it has no history either. */
const NEW_SESSION = 'new'
