import { provider } from '../../model/provider.ts'

/** A scripted model without weights, which answers with a summary of its request. */
export const rehearsal = provider({
  kind: 'rehearsal',
  builtIn: true,
  connects: false,
  onlyModel: true,
  standIn:
    'No model is attached yet, so this is a rehearsal: it answers with a summary of what a model would have read.',
  script: ['say', 'call', 'fail', 'slow'],
  async open({ clock, configured, model }) {
    const { rehearsalModel } = await import('./rehearsal-model.ts')
    // `rehearsal/8192` has a window of 8,192 tokens, to see what a small model would read.
    return rehearsalModel(clock, { ...(/^[1-9]\d{2,6}$/.test(model) ? { window: Number(model) } : {}), ...configured })
  },
})
