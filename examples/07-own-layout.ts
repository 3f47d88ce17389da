/**
 * A layout of your own, as data. Name the file in config.json, and choose the layout by its name:
 * `"capabilities": ["./07-own-layout.ts"], "context": {"layout": "logbook"}`.
 */
import { capability } from 'foreword/capability'
import { layout } from 'foreword/context'

const logbook = layout({
  name: 'logbook',
  extends: 'auto',
  placements: { 'system-prompt': 'system', instructions: 'before-input', date: 'before-input' },
  priorities: { instructions: 'high' },
  cut: { unit: 'message', lowWater: 0.8 },
})

export default capability({ name: 'logbook-layout', layouts: [logbook] })
