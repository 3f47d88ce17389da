import { citationLayers } from '../citation.ts'
import type { Layer } from '../context.ts'
import { FOREIGN_TEXT, foreignTextRule, ruleSaidOnce } from './foreign-text-rule.ts'
import type { LayerContext } from './layer-context.ts'
import { placedGuidance } from './placed-guidance.ts'
import { withoutPrompt } from './without-prompt.ts'

/**
 * The layers of all capabilities with those that Foreword itself adds behind them: words about citations, and the rule that
 * text from files, pages and tools is data (in every layout and under every prompt, wherever such text can come into the call; last in the system
 * message, so that nothing before it moves). Placeholders of the prompt are filled in.
 */
export function finishedLayers(
  layers: readonly Layer[],
  { cites, readsForeign, layout }: Pick<LayerContext, 'cites' | 'readsForeign' | 'layout'>,
  placeholders: Readonly<Record<string, string>>,
): readonly Layer[] {
  const all = [...layers, ...(cites ? citationLayers : []), ...(readsForeign ? [foreignText] : [])]
  return ruleSaidOnce(withoutPrompt(placedGuidance(all, layout, placeholders), layout))
}

const foreignText: Layer = {
  id: FOREIGN_TEXT,
  layer: FOREIGN_TEXT,
  renditions: [{ form: 'full', text: foreignTextRule }],
  placement: 'system',
  priority: 'required',
  origin: { kind: 'operator', ref: 'foreword' },
}
