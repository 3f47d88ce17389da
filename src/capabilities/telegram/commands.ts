import {
  type ChoiceOption,
  costService,
  type CostSums,
  forecastSentence,
  type ModelStatus,
  type Runtime,
  type SlashCommand,
  type SlashCommandCall,
} from '../../capability.ts'
import {
  calibratedManifest,
  countedText,
  exactMoneyText,
  listedName,
  type Manifest,
  type ManifestEntry,
  numberText,
} from '../../context.ts'
import { errorMessage, ForewordError, once } from '../../platform.ts'
import { beginSession, type HostedRuntime, newSessionReply } from '../../runtime.ts'
import type { Binding } from '../../session.ts'
import { shorten } from './text/formatted-text.ts'

/** The channel's own, one for each choice, the contributed ones, and `/help`. Of two with one name the first counts. */
export function chatCommands(choices: ChatChoices, contributed: readonly ChatCommand[] = []): readonly ChatCommand[] {
  const chosen = Object.entries(choices).map(([choice, { none }]) => choiceCommand(choice, none))
  const own = [newSessionCommand, stopCommand, requestSizeCommand, modelCommand, ...chosen]
  const taken = new Set(['help', 'start', 'pair', ...own.map(({ name }) => name)])
  const working = [...own, ...contributed.filter(({ name }) => taken.size < taken.add(name).size)]
  const help: ChatCommand = {
    name: 'help',
    summary: 'list the commands',
    run: async () => [...working, help].map(commandLine).join('\n'),
  }
  return [...working, help]
}

/** `none`: what it means to choose none. */
export type ChatChoices = Readonly<Record<string, { readonly none: string }>>

/** Rejects where the command may succeed later. */
export async function runChatCommand(
  { name, argument }: ParsedCommand,
  commands: readonly ChatCommand[],
  call: Omit<ChatCommandCall, 'argument'>,
): Promise<string> {
  const whole = { ...call, argument }
  if (name === 'start') return `Send a message to talk to the agent. Commands:\n${await commands.at(-1)!.run(whole)}`
  if (name === 'pair') return 'This chat is already paired.'
  const command = commands.find((known) => known.name === name)
  if (!command) return `Unknown command /${name}. List the commands with /help.`
  try {
    return await command.run(whole)
  } catch (error) {
    if (!(error instanceof ForewordError) || !error.expose || mayRecover(error)) throw error
    return error.hint === undefined ? error.message : `${error.message} ${error.hint}`
  }
}

/** Whether the work may succeed later: the gateway is stopping, its disk fails at the moment, or a home is between two gateways. */
export function mayRecover(error: Error): boolean {
  return error instanceof ForewordError && PASSING.has(error.code)
}

const PASSING: ReadonlySet<string> = new Set(['closing', 'overloaded', 'standby', 'storage', 'storage-full'])

function commandLine({ name, argument, summary }: ChatCommand): string {
  return `/${name}${argument === undefined ? '' : ` [${argument}]`}: ${summary}`
}

export function contributedCommands(
  runtime: Runtime | HostedRuntime,
  warn: (text: string) => void,
): readonly ChatCommand[] {
  if (!('contributed' in runtime)) return []
  const ask = askInProcess(runtime)
  return runtime.contributed.capabilities.flatMap(({ slashCommands = {} }) =>
    Object.entries(slashCommands).flatMap(([name, command]) =>
      command.sends ? [] : [chatCommand(name, command, ask, warn)],
    ),
  )
}

function chatCommand(
  name: string,
  { argument: usage, summary, run }: SlashCommand,
  ask: SlashCommandCall['ask'],
  warn: (text: string) => void,
): ChatCommand {
  return {
    name: commandName(name),
    summary,
    // `/help` adds brackets of its own.
    ...(usage === undefined ? {} : { argument: usage.replace(/^\[(.*)\]$/, '$1') }),
    async run({ runtime, binding, argument = '' }) {
      try {
        const session = await runtime.store.bound(binding)
        return (await run({ argument, session, ask })) || 'Done.'
      } catch (error) {
        if (error instanceof ForewordError) throw error
        // A retry could repeat an effect.
        warn(`The command /${name} failed in Telegram: ${errorMessage(error)}`)
        throw new ForewordError('internal', `The command /${name} failed.`, {}, { cause: error, hint: LOG_HINT })
      }
    },
  }
}

const LOG_HINT = 'The log of the gateway has the reason.'

/** Within this process: no port has to be open, and no token is needed. */
function askInProcess(runtime: HostedRuntime): SlashCommandCall['ask'] {
  const opened = once(async () => {
    const { askServer, createServer, hostedOptions } = await import('../../server.ts')
    const { version } = await runtime.status()
    const options = { ...(await hostedOptions(runtime)), version, bind: '127.0.0.1' }
    return askServer(createServer(runtime, options).fetch)
  })
  return async (path, init) => (await opened())(path, init)
}

export interface ChatCommand {
  /** Without the slash, in lower case. */
  readonly name: string
  /** One line for `/help` and for the menu of the bot. */
  readonly summary: string
  readonly argument?: string
  /** Runs the command and returns the answer. The message of a `ForewordError` is the answer. */
  run(call: ChatCommandCall): Promise<string>
}

interface ChatCommandCall {
  readonly runtime: Runtime
  readonly binding: Binding
  /** The text behind the name; `undefined` where there is none. */
  readonly argument: string | undefined
  /** Turns that the command ended before its place in the order of the chat came. */
  readonly endedAhead?: readonly string[]
}

export interface ParsedCommand {
  /** Without the slash, in lower case, with `_` for `-`: Telegram knows no other form. */
  readonly name: string
  readonly argument: string | undefined
}

/** `undefined` for a text that is no command, such as a path. */
export function parseCommand(text: string): ParsedCommand | undefined {
  const found = /^\/([\w-]+)(?:\s+(.*))?$/s.exec(text.trim())
  if (!found) return undefined
  const argument = found[2]?.trim()
  return { name: commandName(found[1]!), argument: argument === '' ? undefined : argument }
}

/** A name in the form that Telegram's menus and links accept. */
function commandName(name: string): string {
  return name.toLowerCase().replaceAll('-', '_')
}

const modelCommand: ChatCommand = {
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

const newSessionCommand: ChatCommand = {
  name: 'new',
  summary: 'begin a new session; WORDS are its first message',
  argument: 'WORDS',
  async run({ runtime, binding }) {
    await beginSession(runtime, binding)
    return newSessionReply
  },
}

/** Cancels the running turn and those queued behind it. */
const stopCommand: ChatCommand = {
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
function choiceCommand(choice: string, none: string): ChatCommand {
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
