import { listCommand } from '../gateway-commands.ts'
import { jsonOption } from '../arguments.ts'
import type { Command } from '../../capability.ts'
import { lineLimit } from '../io.ts'
import { fetchModels, modelTable } from '../model-table.ts'
import type { CacheRules, Price } from '../../model.ts'
import type { ModelStatus } from '../../runtime.ts'
import { fittedTable } from '../table.ts'
import { numberText } from '../../context.ts'

export const modelsCommand: Command = {
  name: 'models',
  group: 'set-up',
  summary: 'list the available models',
  usage: ['models [--prices] [--json]'],
  details:
    '`*` marks the default model. Choose another with `foreword config set model ID`, ' +
    'for one session with `/model ID` in `foreword chat`, or for one turn with `foreword send --model ID`. `--prices` shows ' +
    'prices in US dollars per million tokens, those of long prompts in the same order, the rules of caches, and where all of it is from.',
  words: { least: 0, most: 0 },
  options: {
    prices: { summary: 'show prices and the rules of caches, with their source and date' },
    json: { ...jsonOption, summary: 'print one model per line' },
  },
  run: listCommand(fetchModels, {
    empty: 'No models yet. Name a provider in `providers` of config.json.',
    table: (models, io, call) => (call.has('prices') ? priceTable : modelTable)(models, lineLimit(io)),
  }),
}

/** Prices of models in US dollars per million tokens, the rules of their caches, and where both are from. `-`: not known. */
function priceTable(models: readonly ModelStatus[], columns: number): string {
  const head = ['model', 'fresh', 'cached', 'written', 'answer', 'long', 'cache', 'from', 'life', 'date', 'source']
  const rows = models.filter(({ why }) => why === undefined).map(priceRow)
  return fittedTable([head, ...rows], { right: [1, 2, 3, 4, 7, 8], columns, spare: [10, 9, 6, 5] })
}

function priceRow({ id, facts }: ModelStatus): readonly string[] {
  const { price, cache, date, reference, source } = facts ?? {}
  const { above, until } = price ?? {}
  return [
    id,
    ...rates(price),
    above === undefined ? '-' : `> ${numberText(above.tokens)}: ${rates(above.price).join(' ')}`,
    cache?.kind ?? '-',
    cache === undefined ? '-' : numberText(cache.minimumTokens),
    cache === undefined ? '-' : lifeOf(cache),
    until === undefined ? (date ?? '-') : `${date ?? ''} until ${until}`.trim(),
    reference ?? source ?? '-',
  ]
}

function rates({ input, cachedInput, cacheWrite, cacheWriteLonger, output }: Partial<Price> = {}): readonly string[] {
  const longer = cacheWriteLonger === undefined ? '' : ` (${dollars(cacheWriteLonger)})`
  return [dollars(input), dollars(cachedInput), dollars(cacheWrite) + longer, dollars(output)]
}

function dollars(amount: number | undefined): string {
  return amount === undefined ? '-' : `$${amount}`
}

/** With the longer life that requests can ask for. */
function lifeOf({ lifetimeSeconds, longerSeconds }: CacheRules): string {
  const life = lifeText(lifetimeSeconds)
  return longerSeconds === undefined || longerSeconds === lifetimeSeconds
    ? life
    : `${life} (${lifeText(longerSeconds)})`
}

function lifeText(seconds: number): string {
  return seconds % 3600 === 0 ? `${seconds / 3600} h` : `${Math.round(seconds / 60)} min`
}
