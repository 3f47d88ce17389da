import type { Clock, RunningCapabilities, Runtime } from '../../capability.ts'
import type { Activity } from '../../platform.ts'
import type { SessionStore } from '../../session.ts'
import type { ModelChoice } from '../models/model-choice.ts'
import { admit, assertUnedited, begunAlready, editedMessage, requireLiveTurn } from '../sessions/admission.ts'
import { createBacklogBudget } from '../sessions/event-backlog.ts'
import type { MessageFiles } from '../sessions/message-files.ts'
import { turnNotFound } from '../sessions/not-found.ts'
import { sessionEvents } from '../sessions/session-events.ts'
import type { SessionState, SessionStates } from '../sessions/session-state.ts'
import type { RuntimeSettings } from '../settings.ts'
import type { TurnQueue } from './turn-queue.ts'

/** Turns as callers of the runtime ask for them: a message is accepted, changed while it waits, ended, and its events are read. */
export function createTurnService(parts: {
  readonly store: SessionStore
  readonly states: SessionStates
  readonly settings: RuntimeSettings
  readonly clock: Clock
  readonly files: MessageFiles
  readonly queue: TurnQueue
  readonly models: Pick<ModelChoice, 'assertKnown'>
  readonly capabilities: Pick<RunningCapabilities, 'checkChoices'>
  readonly activity: Activity
  /** Throws once the runtime accepts no more input. */
  readonly refuseWhenClosing: () => void
  /** Rejects with `not-found`. */
  readonly openState: (session: string) => Promise<SessionState>
}): Pick<Runtime, 'submit' | 'cancel' | 'withdraw' | 'editWaiting' | 'events' | 'waitForTurn'> {
  const { store, queue, models, capabilities, activity, refuseWhenClosing, openState } = parts
  const backlogs = createBacklogBudget()
  let admitting = 0
  return {
    async submit(input) {
      refuseWhenClosing()
      if (input.model !== undefined) await models.assertKnown(input.model)
      if (input.beside !== undefined) await models.assertKnown(input.beside)
      if (input.choices !== undefined) await capabilities.checkChoices(input.choices)
      const { running, queued } = queue.counts()
      const open = running + queued + admitting
      admitting += 1
      const admitted = admit(parts, input, open).finally(() => (admitting -= 1))
      const { state, submitted } = await activity.run(input.session, admitted)
      if (!submitted.repeated) queue.add(state, submitted.turn, submitted.beside)
      return submitted
    },
    cancel: async (session, turn) => queue.cancel(await openState(session), turn),
    withdraw: async (session, turn) => queue.withdraw(await openState(session), turn),
    async editWaiting(session, turn, edit) {
      refuseWhenClosing()
      const state = await openState(session)
      await requireLiveTurn(store, session, turn)
      const message = await editedMessage(parts, state, edit)
      if (await queue.edit(state, turn, message, () => assertUnedited(store, { session, turn, base: edit.base })))
        return
      throw begunAlready(session, turn)
    },
    async *events(session, options) {
      const state = await openState(session)
      const { turn } = options
      if (turn !== undefined && !state.live.has(turn) && !(await store.turn(session, turn))) {
        throw turnNotFound(session, turn)
      }
      yield* sessionEvents(store, state, options, backlogs)
    },
    async waitForTurn(session, turn, signal) {
      const { live, stream } = await openState(session)
      const { promise, resolve } = Promise.withResolvers<unknown>()
      const subscription = stream.subscribe((event) => {
        const what = event.type === 'entry' ? event.entry : event
        if ((what.type === 'turn-end' || what.type === 'interrupted') && what.turn === turn) resolve(event)
      })
      signal.addEventListener('abort', resolve)
      try {
        const state = live.has(turn) ? 'running' : (await store.turn(session, turn))?.state
        if (state === undefined) throw turnNotFound(session, turn)
        if ((state === 'queued' || state === 'running') && !signal.aborted) await promise
      } finally {
        signal.removeEventListener('abort', resolve)
        subscription.end()
      }
    },
  }
}
