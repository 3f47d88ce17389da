import {
  type ChoiceOption,
  costService,
  type CostSums,
  forecastSentence,
  type ModelStatus,
  type Runtime,
} from '../../../capability.ts'
import {
  countedText,
  exactMoneyText,
  calibratedManifest,
  listedName,
  type Manifest,
  type ManifestEntry,
  numberText,
} from '../../../context.ts'
import { beginSession, newSessionReply } from '../../../runtime.ts'
import type { Binding } from '../../../session.ts'
import { shorten } from '../text/formatted-text.ts'
import type { ChatCommand } from './command.ts'

export const modelCommand: ChatCommand = {
  name: 'model',
  summary: 'show the models, or choose one for this session',
  argument: 'ID|default',
  async run({ runtime, binding, argument }) {
    const session = await runtime.sessionFor(binding)
    if (argument?.toLowerCase() === 'default') {
      await runtime.setModel(session, undefined)
      const { id } = (await runtime.status()).model
      return `Set the model of this session to ${id}, the configured model.`
    }
    if (argument !== undefined) {
      await runtime.setModel(session, argument)
      return `Set the model of this session to ${argument}.`
    }
    const [chosen, all] = await Promise.all([
      runtime.store.session(session).then((row) => row?.model),
      runtime.models(),
    ])
    const models = workingFirst(all, chosen)
    const lines = models.slice(0, MOST_MODELS).map((status) => modelLine(status, chosen))
    const more = models.length > MOST_MODELS ? [`… and ${models.length - MOST_MODELS} more`] : []
    return [...lines, ...more, '', 'Choose one with /model ID. /model default returns to the configured model.'].join(
      '\n',
    )
  },
}

function workingFirst(models: readonly ModelStatus[], chosen: string | undefined): readonly ModelStatus[] {
  const rank = (status: ModelStatus) => (isCurrent(status, chosen) ? 0 : status.ready ? 1 : 2)
  return models.toSorted((one, other) => rank(one) - rank(other))
}

function isCurrent({ id, current }: ModelStatus, chosen: string | undefined): boolean {
  return chosen === undefined ? current : id === chosen
}

const MOST_MODELS = 30

function modelLine(status: ModelStatus, chosen: string | undefined): string {
  const { id, ready, why } = status
  const note = ready ? '' : ` (${shorten(why ?? 'not ready', 120)})`
  return `${isCurrent(status, chosen) ? '→' : '·'} ${id}${note}`
}

export const requestSizeCommand: ChatCommand = {
  name: 'context',
  summary: 'show what the next call to the model would send',
  async run({ runtime, binding }) {
    const session = await runtime.sessionFor(binding)
    const [preview, costs] = await Promise.all([
      runtime.preview({ session }),
      runtime.capability(costService)?.sessionCosts([session]),
    ])
    const next = forecastSentence(preview)
    return [
      contextText(preview.model, calibratedManifest(preview.manifest, preview.figures.total)),
      ...costLine(costs?.get(session)),
      ...(next ? [next] : []),
    ].join('\n')
  },
}

function costLine(cost: CostSums | undefined): readonly string[] {
  if (cost === undefined || cost.calls === 0) return []
  const { money, unpriced, savedNanoDollars: saved = 0 } = cost
  if (money === undefined) return []
  const without =
    unpriced === 0
      ? ''
      : `, without ${countedText(unpriced, 'call')} that ${unpriced === 1 ? 'has' : 'have'} no known price`
  const cache =
    saved === 0
      ? ''
      : `; the cache ${saved > 0 ? 'saved' : 'cost'} ${exactMoneyText(Math.abs(saved) / 1e9)}${saved > 0 ? '' : ' more'}`
  return money === 0 && unpriced === 0 ? [] : [`This session cost ${exactMoneyText(money)}${without}${cache}.`]
}

function contextText(model: string, manifest: Manifest): string {
  const { used, budget, slots, entries } = manifest
  const filled = Object.entries(slots).flatMap(([slot, tokens]) =>
    tokens > 0 ? [`  ${slot}: ${numberText(tokens)}`] : [],
  )
  return [
    `Model: ${model}`,
    `Used: ${numberText(used)} of ${numberText(budget.available)} tokens (window ${numberText(budget.window)}, ` +
      `${numberText(budget.reserve)} reserved for the answer)`,
    ...filled,
    ...entryList(
      'Shortened',
      entries.filter(({ outcome }) => outcome === 'reduced'),
      manifest,
    ),
    ...entryList(
      'Left out',
      entries.filter(({ outcome, fullTokens }) => outcome === 'omitted' && fullTokens > 0),
      manifest,
    ),
  ].join('\n')
}

const MOST_ENTRIES = 8

function entryList(title: string, entries: readonly ManifestEntry[], manifest: Manifest): readonly string[] {
  if (entries.length === 0) return []
  const more = entries.length > MOST_ENTRIES ? [`  … and ${entries.length - MOST_ENTRIES} more`] : []
  return [`${title}:`, ...entries.slice(0, MOST_ENTRIES).map((entry) => entryLine(entry, manifest)), ...more]
}

function entryLine(entry: ManifestEntry, manifest: Manifest): string {
  const { form, tokens, fullTokens, reason } = entry
  const why = reason ? `, ${reason.code}` : ''
  const of = tokens === 0 ? numberText(fullTokens) : `${form ?? ''} ${numberText(tokens)} of ${numberText(fullTokens)}`
  return `  ${shorten(listedName(entry, manifest), 60)} (${of.trim()}${why})`
}

export const newSessionCommand: ChatCommand = {
  name: 'new',
  summary: 'begin a new session; WORDS are its first message',
  argument: 'WORDS',
  async run({ runtime, binding }) {
    await beginSession(runtime, binding)
    return newSessionReply
  },
}

/** Cancels the running turn and those queued behind it. */
export const stopCommand: ChatCommand = {
  name: 'stop',
  summary: 'stop the current answer',
  async run({ runtime, binding, endedAhead = [] }) {
    const { size: ended } = new Set([...endedAhead, ...(await endTurns(runtime, binding))])
    if (ended === 0) return 'Nothing is running.'
    return ended === 1
      ? 'Stopped.'
      : `Stopped. ${ended - 1} waiting ${ended === 2 ? 'message was' : 'messages were'} cancelled too.`
  },
}

/** Cancels every unfinished turn of a conversation and returns their ids. */
export async function endTurns(runtime: Runtime, binding: Binding): Promise<readonly string[]> {
  const session = await runtime.store.bound(binding)
  const unfinished = (await runtime.store.unfinishedTurns()).filter((turn) => turn.session === session)
  const ended: string[] = []
  // Newest first, so that none of them begins meanwhile.
  for (const { turn } of unfinished.toReversed()) if (await runtime.cancel(session!, turn)) ended.push(turn)
  return ended
}

/** `/agent`, `/subject` and the like. `none`: what it means to choose none. */
export function choiceCommand(choice: string, none: string): ChatCommand {
  return {
    name: choice,
    summary: `show the ${choice} of this session, or choose one`,
    argument: 'NAME|none',
    async run({ runtime, binding, argument }) {
      const session = await runtime.sessionFor(binding)
      if (argument?.toLowerCase() === 'none') {
        await runtime.choose(session, { [choice]: null })
        return `Cleared the ${choice} of this session: ${none}.`
      }
      const now = (await runtime.store.session(session))?.choices[choice]
      const options = await runtime.choiceOptions(choice)
      if (argument === undefined) return listText(choice, none, options ?? [], now)
      const meant = options && findByName(argument, options)
      if (meant?.length === 0) return `Unknown ${choice} ${argument}. List them with /${choice}.`
      if (meant && meant.length > 1) return [`${argument} is ambiguous:`, ...optionLines(meant, now)].join('\n')
      const { id, name = id } = meant?.[0] ?? { id: argument }
      await runtime.choose(session, { [choice]: id })
      return `Set the ${choice} of this session to ${name}.`
    },
  }
}

function listText(choice: string, none: string, options: readonly ChoiceOption[], now: string | undefined): string {
  const first = `${now === undefined ? '→' : '·'} none: ${none}`
  if (options.length === 0) return `${first}\n\nNo ${choice}s yet.`
  return [first, ...optionLines(options, now), '', `Choose one with /${choice} NAME.`].join('\n')
}

function optionLines(options: readonly ChoiceOption[], now: string | undefined): readonly string[] {
  const lines = options
    .slice(0, MOST_OPTIONS)
    .map(({ id, name = id, summary }) => `${id === now ? '→' : '·'} ${name}${summary ? `: ${summary}` : ''}`)
  return options.length > MOST_OPTIONS ? [...lines, `… and ${options.length - MOST_OPTIONS} more`] : lines
}

const MOST_OPTIONS = 30

/**
 * By id, name in any case, or prefix of either. The first rule with a match decides: a whole name is never ambiguous.
 */
function findByName(word: string, options: readonly ChoiceOption[]): readonly ChoiceOption[] {
  const wanted = word.toLowerCase()
  const rules: readonly ((id: string, name: string) => boolean)[] = [
    (id) => id === word,
    (id, name) => id.toLowerCase() === wanted || name.toLowerCase() === wanted,
    (id, name) => id.toLowerCase().startsWith(wanted) || name.toLowerCase().startsWith(wanted),
  ]
  const matching = (rule: (typeof rules)[number]) =>
    options.filter(({ id, name, summary }) => rule(id, name ?? summary ?? id))
  return rules.map(matching).find(({ length }) => length > 0) ?? []
}
