import type { Layer } from '../../context.ts'

/** The last step's reminder (BEHAVIOURS §1.6). It names no tool, since none can be called. */
export const lastStepReminder: Layer = {
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
