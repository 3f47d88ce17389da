import type { Clock, Runtime } from '../../capability.ts'
import { answerLimits, type Models } from '../../model.ts'
import type { SessionStore } from '../../session.ts'
import type { RuntimeSettings } from '../settings.ts'
import { createModelChoice, type LiveModels, modelStatuses, modelView, priceOf } from './model-choice.ts'
import { createModelSetup } from './model-setup.ts'
import { openLearned } from './open-learned.ts'

/** The models of one runtime: which answers, what was learned of each, what it costs, and how a person sees and attaches them. */
export async function openModelService(
  parts: Omit<Parameters<typeof createModelSetup>[0], 'store'> & {
    readonly models: Models
    readonly live: LiveModels
    readonly settings: RuntimeSettings
    readonly store: SessionStore
    readonly clock: Clock
  },
  warn: (text: string) => void,
) {
  const { models, clock } = parts
  const { milliseconds } = answerLimits(0, parts.settings.maxAnswerMs)
  const choice = createModelChoice(models, clock, parts.live, milliseconds, warn)
  parts.live.changed.add(choice.forget)
  const learned = await openLearned(parts.store, clock, warn)
  const { calibration, limits } = learned
  const views: Pick<Runtime, 'setup' | 'models' | 'model'> = {
    setup: createModelSetup(parts, choice),
    models: () => modelStatuses(models, choice, learned),
    model: (id) => modelView({ settings: parts.settings, calibration, limits }, choice, id),
  }
  return {
    choice,
    learned,
    priceOf: (model: string) => priceOf(clock, models, model),
    views,
    /** Asks again: who there is, and whether their limits still hold. */
    forget() {
      choice.forget()
      limits.forget()
    },
    close: () => void parts.live.changed.delete(choice.forget),
  }
}
