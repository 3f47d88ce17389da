import * as fc from 'fast-check'
import { type Layer, type Layout, type LayoutChanges, layoutOf, layouts, type Rendition } from '../../src/context.ts'
import { words } from './messages.ts'

/** A preset, or one with changes. */
export function layout(): fc.Arbitrary<Layout> {
  const preset = fc.constantFrom('auto', 'auto', 'auto', 'chai', 'ayati', 'onyx', 'deepchat')
  const changes = fc
    .record(
      {
        extends: preset,
        placements: fc.constant({ memory: 'preamble', notes: 'before-input' } as const),
        priorities: fc.constant({ memory: 'high', instructions: 'low' } as const),
        headShare: fc.constantFrom(0, 0.2, 0.5, 1),
        cut: fc.record(
          { unit: fc.constantFrom('turn', 'message'), lowWater: fc.constantFrom(0, 0.3, 0.5, 0.9, 1) },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: ['extends'] },
    )
    .map((one) => layoutOf(one as LayoutChanges))
  return fc.oneof(preset.map(layoutOf), changes)
}

const names = Object.keys(layouts['auto']!.placements)

export function layers(): fc.Arbitrary<readonly Layer[]> {
  const placed = fc.record(
    {
      layer: fc.constantFrom(...names),
      renditions: renditions(),
      placement: fc.constantFrom('system', 'preamble', 'before-input', 'after-input'),
      priority: fc.constantFrom('required', 'high', 'normal', 'low'),
      origin: fc.constant({ kind: 'file', ref: 'AGENTS.md' }),
    },
    { requiredKeys: ['layer', 'renditions'] },
  )
  const unknown = fc.record({
    layer: fc.constant('weather'),
    renditions: renditions(),
    placement: fc.constantFrom('system', 'preamble', 'before-input', 'after-input'),
  })
  return fc
    .array(fc.oneof({ weight: 6, arbitrary: placed }, unknown), { maxLength: 6 })
    .map((some) => some.map((one, index) => ({ ...one, id: `layer-${index + 1}` })))
}

/** Several forms, among them ones that save nothing and blank ones, with or without given tokens. */
function renditions(): fc.Arbitrary<readonly Rendition[]> {
  const rendition = fc.record(
    {
      text: fc.oneof({ weight: 5, arbitrary: words(2000) }, words(40), fc.constantFrom('', ' \n')),
      tokens: fc.constantFrom(0, 40, 100, 100, 300, 600),
    },
    { requiredKeys: ['text'] },
  )
  return fc
    .array(rendition, { minLength: 1, maxLength: 3 })
    .map((some) => some.map((one, index) => ({ ...one, form: ['full', 'excerpt', 'list'][index]! })))
}
