import type { Layer } from '../context.ts'
import { errorMessage } from '../platform.ts'
import type { Tool } from '../tool.ts'
import type { AnyCapability, Pin, StartLine } from './capability.ts'
import { type Chosen, type HostedChoice, type RunningChoices } from './capability-choices.ts'
import type { Channel } from './channel.ts'
import type { McpContribution, McpDefinitions } from './mcp.ts'
import { finishLayers } from './own-layers.ts'
import { isPlugin } from './plugin.ts'
import type { RawEndpoint } from './raw-endpoint.ts'
import type { Route } from './route.ts'
import type { Runtime, WithheldTool } from './runtime/runtime.ts'
import type { ServiceKey } from './service.ts'
import type { ChoiceOption } from './session-choice.ts'
import { capabilityError, runGuarded, type Started, stopAll } from './started.ts'
import type { LayerContext, TurnPart, TurnQuestion } from './turn-part.ts'

/** What capabilities bring to hosts: to a server, a command line, channels. */
export interface Contributions {
  readonly capabilities: readonly AnyCapability[]
  /** What sessions can choose, by name. */
  readonly choices: Readonly<Record<string, HostedChoice>>
  /** The lines of capabilities for the screen of a start. A failure of one becomes its line. */
  startLines(): Promise<readonly StartLine[]>
  routes(capability: string): Promise<readonly Route[]>
  rawEndpoints?(capability: string): Promise<readonly RawEndpoint[]>
  /** What the capability of this name adds to the MCP server; `undefined`: nothing. */
  mcp(capability: string): McpAddition | undefined
}

/** What the capabilities of a runtime are, those that its home adds included; none where it was put together by hand. */
export function capabilitiesOf(runtime: Runtime): readonly AnyCapability[] {
  return 'contributed' in runtime ? (runtime.contributed as Contributions).capabilities : []
}

interface McpAddition {
  definitions(): McpDefinitions | Promise<McpDefinitions>
  open(): McpContribution | Promise<McpContribution>
}

/** Capabilities between start and stop, as one. What fails is named. */
export interface RunningCapabilities extends Contributions {
  capability<Service>(key: ServiceKey<Service>): Service | undefined
  /** Of each capability its own layers, then those of its part of the turn; those of Foreword itself come last. */
  layers(context: Omit<LayerContext, 'promptBlocks'>, parts?: TurnParts): Promise<readonly Layer[]>
  /** Of each capability its own tools, then those of its prompt blocks. Of two capabilities with one name the first keeps it. */
  tools(): readonly Tool[]
  /** A sentence for each tool of a capability that has the name of a tool of another one, or one of `others`. */
  toolConflicts(others: readonly string[]): readonly string[]
  /** Those that are made for single turns, for the list of tools. */
  turnTools(): readonly Tool[]
  /** Name of the capability that a tool comes from: the first one that declares it. */
  ownerOf(tool: string): string | undefined
  /** What can be chosen; `undefined` where that cannot be listed. Rejects with `not-found` for a choice that does not exist. */
  choiceOptions(choice: string): Promise<readonly ChoiceOption[] | undefined>
  /** Checks ids before they are chosen. Rejects with `not-found`, and with `invalid-input` for a choice that there is not. */
  checkChoices(choices: Readonly<Record<string, string | null>>): Promise<void>
  /** What a session's choices come to: with what is usual, without what is gone, and what they decide together. */
  chosen(choices: Readonly<Record<string, string>>): Promise<Chosen>
  turn(question: TurnQuestion): Promise<TurnParts>
  ready(): Promise<void>
  recover(): Promise<void>
  sessionStarted(session: string): void
  sessionDeleted(session: string): Promise<void>
  /** Of the sessions of a conversation those whose words a model may be given in `session`. */
  conversation(session: string, sessions: readonly string[]): Promise<readonly string[]>
  withheld(): readonly WithheldTool[]
  accept(tool: string, digest: string): Promise<boolean>
  /** Each sentence begins with the name of its capability. */
  warnings(): readonly string[]
  status(): Promise<Readonly<Record<string, unknown>>>
  channels(): Promise<readonly Channel[]>
  reload(): Promise<void>
  /** For those who wait until each has nothing to do. */
  readonly parts: readonly { idle(session?: string): Promise<unknown> | undefined }[]
  /** In reverse order. Every capability is stopped, even if another one fails; then rejects with all failures. */
  stop(): Promise<void>
}

/** What capabilities give a turn, by the name of the capability. */
export type TurnParts = ReadonlyMap<string, TurnPart>

/** Started capabilities as one. `services`: what each returned from `start`, by its name. */
export function runCapabilities(
  started: readonly Started[],
  choices: RunningChoices,
  services: ReadonlyMap<string, unknown>,
): RunningCapabilities {
  let stopped: Promise<void> | undefined
  /** Those that have something to say are asked, at each turn and step. */
  const having = (member: keyof AnyCapability) => started.filter(({ value }) => value[member])
  const named = (name: string) => started.filter(({ value }) => value.name === name)
  const ask = <Answer>(these: readonly Started[], what: string, give: (each: Started) => Answer | Promise<Answer>) =>
    Promise.all(these.map((each) => runGuarded(each, `could not give its ${what}`, give)))

  return {
    capabilities: started.map(({ value }) => value),
    choices: choices.offered,
    capability: <Service>({ name }: ServiceKey<Service>) => services.get(name) as Service | undefined,
    async layers(given, parts = new Map()) {
      const promptBlocks = started.flatMap(({ value, self }) => [
        ...(value.promptBlocks?.(self) ?? []),
        ...(parts.get(value.name)?.promptBlocks ?? []),
      ])
      const context = { ...given, promptBlocks }
      const withLayers = started.filter(({ value }) => value.layers ?? parts.get(value.name)?.layers)
      const [layers, placeholders] = await Promise.all([
        ask(withLayers, 'layers', async ({ value, self }) => [
          ...((await value.layers?.(self, context)) ?? []),
          ...((await parts.get(value.name)?.layers?.(context)) ?? []),
        ]),
        ask(having('placeholders'), 'placeholders', ({ value, self }) => value.placeholders?.(self, context)),
      ])
      return finishLayers(layers.flat(), context, Object.assign({}, ...placeholders))
    },
    tools() {
      const owners = new Map<string, Started>()
      return started.flatMap((each) => {
        const tools = capabilityTools(each)
        for (const { name } of tools) if (!owners.has(name)) owners.set(name, each)
        return tools.filter(({ name }) => owners.get(name) === each)
      })
    },
    toolConflicts(others) {
      const owners = new Map(
        started.toReversed().flatMap((each) => toolNames(each).map((name) => [name, each] as const)),
      )
      return started.flatMap((each) =>
        toolNames(each).flatMap((name) => {
          const first = owners.get(name)!
          if (first === each && !others.includes(name)) return []
          const owner = first === each ? 'Foreword itself' : ownerText(first)
          return [`The tool ${name} of ${ownerText(each)} is also a tool of ${owner}.`]
        }),
      )
    },
    turnTools: () => started.flatMap(turnTools),
    ownerOf: (tool) => started.find((each) => capabilityTools(each).some(({ name }) => name === tool))?.value.name,
    choiceOptions: choices.options,
    checkChoices: choices.check,
    chosen: choices.resolve,
    async turn(question) {
      const asked = having('turn')
      const parts = await ask(asked, 'part of the turn', ({ value, self }) => value.turn?.(self, question))
      return new Map(
        asked.flatMap(({ value: { name } }, index) => (parts[index] ? [[name, parts[index]] as const] : [])),
      )
    },
    async ready() {
      await Promise.all(having('lifecycle').map(async ({ value, self }) => value.lifecycle?.ready?.(self)))
    },
    async recover() {
      await Promise.all(started.map(async ({ value, self }) => value.lifecycle?.recover?.(self)))
    },
    sessionStarted(session) {
      for (const { value, self } of started) value.sessions?.started?.(self, session)
    },
    async sessionDeleted(session) {
      for (const { value, self } of started.toReversed()) await value.sessions?.deleted?.(self, session)
    },
    async conversation(session, sessions) {
      let left = sessions
      for (const { value, self } of started) left = (await value.sessions?.conversation?.(self, session, left)) ?? left
      return left
    },
    withheld: () =>
      having('pins')
        .flatMap(pins)
        .flatMap((pin) => pin.withheld()),
    async accept(tool, digest) {
      for (const pin of having('pins').flatMap(pins)) if (await pin.accept(tool, digest)) return true
      return false
    },
    warnings: () =>
      started.flatMap((each) => {
        const { value, self } = each
        const all = [...(value.status?.warnings?.(self) ?? []), ...pins(each).flatMap((pin) => pin.warnings?.() ?? [])]
        return all.map((text) => `${value.name}: ${text}`)
      }),
    async status() {
      const facts = await ask(having('status'), 'status', ({ value, self }) => value.status?.facts?.(self))
      return Object.assign({}, ...facts) as Record<string, unknown>
    },
    async startLines() {
      const lines = having('status').map(async ({ value: { name, status }, self }) => {
        try {
          return await status?.startLine?.(self)
        } catch (error) {
          const text = `Unknown: ${errorMessage(error).split('\n', 1)[0]}`
          return { label: `${name.charAt(0).toUpperCase()}${name.slice(1)}`, text }
        }
      })
      return (await Promise.all(lines)).filter((line) => line !== undefined)
    },
    routes: async (name) =>
      (await ask(named(name), 'routes', ({ value, self }) => value.http?.routes?.(self) ?? [])).flat(),
    rawEndpoints: async (name) =>
      (await ask(named(name), 'raw endpoints', ({ value, self }) => value.http?.raw?.(self) ?? [])).flat(),
    mcp(name) {
      const [found] = named(name)
      const part = found?.value.mcp
      return part && { definitions: () => part.definitions(), open: () => part.open(found.self) }
    },
    channels: async () =>
      (await ask(having('channels'), 'channels', ({ value, self }) => value.channels?.(self) ?? [])).flat(),
    async reload() {
      for (const each of started) {
        await runGuarded(each, 'could not be read again', ({ value, self }) => value.lifecycle?.reload?.(self))
      }
    },
    parts: started.map(({ value, self }) => ({ idle: (session) => value.lifecycle?.idle?.(self, session) })),
    stop: () => (stopped ??= stop(started)),
  }
}

const capabilityTools = (each: Started) => allTools(each).filter(({ offeredIn }) => offeredIn === undefined)

const turnTools = (each: Started) => allTools(each).filter(({ offeredIn }) => offeredIn !== undefined)

const toolNames = (each: Started) => [...new Set(allTools(each).map(({ name }) => name))]

/** With those that it makes for single turns. */
function allTools({ value, self }: Started): readonly Tool[] {
  try {
    return [...(value.tools?.(self) ?? []), ...(value.promptBlocks?.(self) ?? []).flatMap(({ tools }) => tools)]
  } catch (error) {
    throw capabilityError(value, 'could not give its tools', error)
  }
}

function pins({ value, self }: Started): readonly Pin[] {
  return value.pins?.(self) ?? []
}

function ownerText({ value }: Started): string {
  return `the ${isPlugin(value) ? 'plugin' : 'capability'} ${value.name}`
}

async function stop(started: readonly Started[]): Promise<void> {
  const faults = await stopAll(started)
  if (faults.length === 1) throw faults[0]
  if (faults.length > 1) throw new AggregateError(faults, faults.map(({ message }) => message).join('; '))
}
