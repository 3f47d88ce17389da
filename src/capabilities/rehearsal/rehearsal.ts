import { provider } from '../../model/provider.ts'

/** A scripted model without weights, which answers with the outline of its request. */
export const rehearsal = provider({
  kind: 'rehearsal',
  builtIn: true,
  connects: false,
  onlyModel: true,
  standIn:
    'No model is attached yet, so this is a rehearsal: it answers with the outline of what a model would have been sent.',
  script: ['say', 'call', 'fail', 'slow'],
  open: async ({ clock, configured }) => (await import('./rehearsal-model.ts')).rehearsalModel(clock, configured),
})
