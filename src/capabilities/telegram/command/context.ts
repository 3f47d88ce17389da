import type { Manifest, ManifestEntry } from '../../../context.ts'
import { shortened } from '../shown-text.ts'
import type { ChatCommand } from './command.ts'

export const context: ChatCommand = {
  name: 'context',
  summary: 'what the next call to the model would send',
  async run({ runtime, binding }) {
    const { model, manifest } = await runtime.preview({ session: await runtime.sessionFor(binding) })
    return contextText(model, manifest)
  },
}

/** What a request holds, in a few lines for a small screen; `foreword preview` has all of it. */
function contextText(model: string, { used, budget, slots, entries }: Manifest): string {
  const filled = Object.entries(slots).flatMap(([slot, tokens]) =>
    tokens > 0 ? [`  ${slot}: ${counted(tokens)}`] : [],
  )
  return [
    `Model: ${model}`,
    `Used: ${counted(used)} of ${counted(budget.available)} tokens (window ${counted(budget.window)}, ` +
      `${counted(budget.reserve)} kept for the answer)`,
    ...filled,
    ...gaveWay(
      'Shorter than it could be',
      entries.filter(({ outcome }) => outcome === 'reduced'),
    ),
    ...gaveWay(
      'Left out',
      entries.filter(({ outcome, fullTokens }) => outcome === 'omitted' && fullTokens > 0),
    ),
  ].join('\n')
}

/** Lines of a list. */
const MOST = 8

function gaveWay(title: string, entries: readonly ManifestEntry[]): readonly string[] {
  if (entries.length === 0) return []
  const more = entries.length > MOST ? [`  … and ${entries.length - MOST} more`] : []
  return [`${title}:`, ...entries.slice(0, MOST).map(entryLine), ...more]
}

function entryLine({ id, form, tokens, fullTokens, reason }: ManifestEntry): string {
  const why = reason ? `, ${reason.code}` : ''
  const of = tokens === 0 ? counted(fullTokens) : `${form ?? ''} ${counted(tokens)} of ${counted(fullTokens)}`
  return `  ${shortened(id, 60)} (${of.trim()}${why})`
}

function counted(tokens: number): string {
  return tokens.toLocaleString('en-GB')
}
