import { type Layer, layouts } from '../context.ts'
import { defined, errorMessage } from '../platform.ts'
import type { Tool } from '../tool.ts'
import type { AnyCapability, CapabilityPlaces, Self } from './capability.ts'
import type { Channel } from './channel.ts'
import type { CapabilityHost } from './host.ts'
import type { LayerContext } from './layer-context.ts'
import type { McpContribution, McpDefinitions } from './mcp.ts'
import { finishedLayers } from './own-layers.ts'
import { isPlugin } from './plugin-as-capability.ts'
import type { PromptBlock } from './prompt-block.ts'
import type { Route } from './route.ts'
import type { Runtime } from './runtime/runtime.ts'
import { RuntimeError } from './runtime-error.ts'
import type { ServiceKey } from './service-key.ts'
import type { ChoiceOption, SessionChoice, TurnPreset } from './session-choice.ts'
import type { TurnPart, TurnQuestion, TurnTool } from './turn-part.ts'
import type { WithheldTool } from './withheld-tool.ts'

/** What a host gives all capabilities alike. */
export interface CapabilityBase extends Omit<
  CapabilityHost,
  'settings' | 'runtime' | 'capability' | 'settingsOf' | 'choices' | 'places' | 'layouts'
> {
  /** Settings of the capabilities, by name. What is absent is parsed from nothing. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Places of the host itself. */
  readonly places?: CapabilityPlaces
  /** Throws until there is one. */
  runtime(): Runtime
}

/** What capabilities bring to hosts: to a server, a command line, channels. */
export interface Contributed {
  readonly capabilities: readonly AnyCapability[]
  /** What sessions can choose, by name. */
  readonly choices: Readonly<Record<string, OfferedChoice>>
  /** Routes of the capability of this name. */
  routes(capability: string): Promise<readonly Route[]>
  /** What the capability of this name adds to the MCP server; `undefined`: nothing. */
  mcp(capability: string): McpAddition | undefined
}

export interface McpAddition {
  definitions(): McpDefinitions | Promise<McpDefinitions>
  open(): McpContribution | Promise<McpContribution>
}

/** A choice as hosts offer it. */
export interface OfferedChoice extends Pick<SessionChoice<never>, 'summary' | 'none' | 'files'> {
  /** Rejects with `not-found` or `invalid-input`. */
  check(id: string): Promise<void>
  /** The id that a word of a person means. */
  find(word: string): Promise<string>
  /** `undefined`: what could be chosen cannot be listed. */
  readonly list: (() => Promise<readonly ChoiceOption[]>) | undefined
}

/** Capabilities between start and stop, as one. What fails is named. */
export interface RunningCapabilities extends Contributed {
  capability<Service>(key: ServiceKey<Service>): Service | undefined
  /** Of each capability its own layers, then those of its part of the turn; those of Foreword itself stand last. */
  layers(context: Omit<LayerContext, 'promptBlocks'>, parts?: TurnParts): Promise<readonly Layer[]>
  /** Of each capability its own tools, then those of its prompt blocks. */
  tools(): readonly Tool[]
  /** Tools that are made for single turns. */
  turnTools(): readonly TurnTool[]
  /** Name of the capability that a tool comes from: the last one that declares it. */
  ownerOf(tool: string): string | undefined
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
  /** In reverse order. Every capability is stopped, whatever another one says; then rejects with what went wrong. */
  stop(): Promise<void>
}

/** What capabilities give a turn, by the name of the capability. */
export type TurnParts = ReadonlyMap<string, TurnPart>

export interface Chosen {
  readonly choices: Readonly<Record<string, string>>
  readonly preset: TurnPreset
}

interface Started {
  readonly value: AnyCapability
  readonly self: Self<unknown, unknown>
}

/**
 * Starts capabilities one after another. Where one fails, those already started are stopped again, in reverse. Two of one
 * name, or two choices of one name, are refused before anything starts.
 */
export async function startCapabilities(
  capabilities: readonly AnyCapability[],
  base: CapabilityBase,
): Promise<RunningCapabilities> {
  const choices = choicesOf(capabilities)
  const hosts = hostsOf(capabilities, choices, base)
  const started: Started[] = []
  for (const [index, value] of capabilities.entries()) {
    const host = hosts.of(index)
    try {
      const service: unknown = await value.start?.(host)
      started.push({ value, self: selfOf(host, service) })
      hosts.services.set(value.name, service)
    } catch (error) {
      const faults = await stopAll(started)
      throw faultOf(value, 'did not start', error, faults)
    }
  }
  return running(started, choices, hosts.services)
}

type Choices = Readonly<Record<string, { readonly owner: number; readonly choice: SessionChoice<never> }>>

function choicesOf(capabilities: readonly AnyCapability[]): Choices {
  const names = new Set<string>()
  const choices: Record<string, Choices[string]> = {}
  for (const [owner, value] of capabilities.entries()) {
    const { name, session = {} } = value
    if (names.size === names.add(name).size && !isPlugin(value))
      throw new Error(`There are two capabilities named ${name}; keep one.`)
    for (const [choice, offers] of Object.entries(session)) {
      const other = choices[choice]
      if (other) {
        const first = capabilities[other.owner]!.name
        throw new Error(`Sessions choose their ${choice} with two capabilities, ${first} and ${name}; keep one.`)
      }
      choices[choice] = { owner, choice: offers }
    }
  }
  return choices
}

function hostsOf(capabilities: readonly AnyCapability[], choices: Choices, base: CapabilityBase) {
  const { settings: given = {}, places: own = {}, runtime, ...shared } = base
  const services = new Map<string, unknown>()
  const known = new Map<string, unknown>()
  const settingsOf = (name: string): unknown => {
    const found = capabilities.find((each) => each.name === name)
    if (!found) return undefined
    if (!known.has(name)) known.set(name, Object.hasOwn(given, name) ? given[name] : parsedFromNothing(found))
    return known.get(name)
  }
  const places = (): Required<CapabilityPlaces> => {
    const { folder } = shared.home
    const all = [own, ...capabilities.flatMap(({ name, places: of }) => of?.(settingsOf(name), folder) ?? [])]
    const together = (kind: keyof CapabilityPlaces) => [...new Set(all.flatMap((each) => each[kind] ?? []))]
    return { outOfReach: together('outOfReach'), readOnly: together('readOnly'), readable: together('readable') }
  }
  const contributed = capabilities.flatMap((one) => one.layouts ?? [])
  const allLayouts = { ...layouts, ...Object.fromEntries(contributed.map((layout) => [layout.name, layout])) }
  return {
    services,
    of(index: number): CapabilityHost<unknown> {
      return {
        ...shared,
        settings: settingsOf(capabilities[index]!.name),
        layouts: allLayouts,
        choices: Object.fromEntries(Object.entries(choices).map(([name, { choice }]) => [name, choice])),
        get runtime() {
          return runtime()
        },
        capability: <Service>({ name }: ServiceKey<Service>) => services.get(name) as Service | undefined,
        settingsOf,
        places,
      }
    },
  }
}

function parsedFromNothing({ name, settings }: AnyCapability): unknown {
  const read = settings?.safeParse({})
  if (!read || read.success) return read?.data
  throw new Error(
    `The capability ${name} needs settings: ${read.error.issues.map(({ message }) => message).join('; ')}`,
  )
}

/** The host with the service. `runtime` stays a getter: there is none while capabilities start. */
function selfOf(host: CapabilityHost<unknown>, service: unknown): Self<unknown, unknown> {
  const properties = { ...Object.getOwnPropertyDescriptors(host), service: { value: service, enumerable: true } }
  return Object.defineProperties({}, properties) as Self<unknown, unknown>
}

function running(
  started: readonly Started[],
  choices: Choices,
  services: ReadonlyMap<string, unknown>,
): RunningCapabilities {
  let stopped: Promise<void> | undefined
  const promptBlocks = () => started.flatMap(blocksOf)

  /** What one choice decides; `undefined`: it is gone. A choice of a capability that is not here decides nothing. */
  async function presetOf(name: string, id: string): Promise<TurnPreset | undefined> {
    const found = Object.hasOwn(choices, name) ? choices[name] : undefined
    if (!found) return undefined
    const { value, self } = started[found.owner]!
    const { preset } = value.session![name]!
    return preset ? preset(self, id) : {}
  }

  return {
    capabilities: started.map(({ value }) => value),
    choices: Object.fromEntries(
      Object.entries(choices).map(([name, { owner }]) => [name, offered(started[owner]!, name)]),
    ),
    capability: <Service>({ name }: ServiceKey<Service>) => services.get(name) as Service | undefined,
    async layers(given, parts = new Map()) {
      const context = { ...given, promptBlocks: promptBlocks() }
      const [layers, placeholders] = await Promise.all([
        Promise.all(started.map((each) => layersOf(each, context, parts))),
        Promise.all(
          started.map((each) =>
            guarded(each, 'could not give its placeholders', ({ value, self }) => value.placeholders?.(self, context)),
          ),
        ),
      ])
      return finishedLayers(layers.flat(), context, Object.assign({}, ...placeholders))
    },
    tools: () => started.flatMap(toolsOf),
    turnTools: () => started.flatMap(({ value, self }) => value.turnTools?.(self) ?? []),
    ownerOf: (tool) => started.findLast((each) => toolsOf(each).some(({ name }) => name === tool))?.value.name,
    async checkChoices(asked) {
      for (const [name, id] of Object.entries(asked)) {
        const found = Object.hasOwn(choices, name) ? choices[name] : undefined
        if (!found) {
          const known = Object.keys(choices)
          const there = known.length === 0 ? 'Sessions choose nothing here.' : `There are ${known.join(', ')}.`
          throw new RuntimeError('invalid-input', `Sessions choose no ${JSON.stringify(name.slice(0, 100))}. ${there}`)
        }
        const { value, self } = started[found.owner]!
        if (id !== null) await value.session![name]!.check(self, id)
      }
    },
    async chosen(asked) {
      const found: Record<string, string> = {}
      const presets: TurnPreset[] = []
      for (const [name, { owner }] of Object.entries(choices)) {
        const { value, self } = started[owner]!
        const id = (Object.hasOwn(asked, name) ? asked[name] : undefined) ?? value.session![name]!.usual?.(self)
        const preset = id === undefined ? undefined : await presetOf(name, id)
        if (id === undefined || !preset) continue
        found[name] = id
        presets.push(preset)
      }
      return { choices: found, preset: merged(presets) }
    },
    async turn(question) {
      const parts = await Promise.all(
        started.map(async ({ value, self }) => [value.name, await value.turn?.(self, question)] as const),
      )
      return new Map(parts.flatMap(([name, part]) => (part ? [[name, part] as const] : [])))
    },
    async ready() {
      await Promise.all(started.map(async ({ value, self }) => value.ready?.(self)))
    },
    async recover() {
      await Promise.all(started.map(async ({ value, self }) => value.recover?.(self)))
    },
    sessionStarted(session) {
      for (const { value, self } of started) value.sessionStarted?.(self, session)
    },
    async sessionDeleted(session) {
      for (const { value, self } of started.toReversed()) await value.sessionDeleted?.(self, session)
    },
    async conversation(session, sessions) {
      let left = sessions
      for (const { value, self } of started) left = (await value.conversation?.(self, session, left)) ?? left
      return left
    },
    withheld: () => started.flatMap(({ value, self }) => value.withheld?.(self) ?? []),
    async accept(tool, digest) {
      for (const { value, self } of started) if (await value.accept?.(self, tool, digest)) return true
      return false
    },
    warnings: () =>
      started.flatMap(({ value, self }) => (value.warnings?.(self) ?? []).map((each) => `${value.name}: ${each}`)),
    async status() {
      const facts = await Promise.all(started.map(async ({ value, self }) => value.status?.(self)))
      return Object.assign({}, ...facts) as Record<string, unknown>
    },
    async routes(name) {
      const found = started.find(({ value }) => value.name === name)
      return (await found?.value.routes?.(found.self)) ?? []
    },
    mcp(name) {
      const found = started.find(({ value }) => value.name === name)
      const part = found?.value.mcp
      return part && { definitions: () => part.definitions(), open: () => part.open(found.self) }
    },
    channels: async () =>
      (await Promise.all(started.map(async ({ value, self }) => (await value.channels?.(self)) ?? []))).flat(),
    async reload() {
      for (const each of started) {
        await guarded(each, 'could not be read again', ({ value, self }) => value.reload?.(self))
      }
    },
    stop: () => (stopped ??= stop(started)),
  }
}

function offered({ value, self }: Started, name: string): OfferedChoice {
  const choice = value.session![name]!
  const { summary, none, files, list } = choice
  return {
    summary,
    none,
    ...defined({ files }),
    check: (id) => choice.check(self, id),
    async find(word) {
      if (choice.find) return choice.find(self, word)
      await choice.check(self, word)
      return word
    },
    list: list && (() => list.call(choice, self)),
  }
}

/** The first that decides counts; tools have to be allowed by all. */
function merged(presets: readonly TurnPreset[]): TurnPreset {
  const first = <Key extends keyof TurnPreset>(key: Key): TurnPreset[Key] =>
    presets.find((preset) => preset[key] !== undefined)?.[key]
  return defined({ model: first('model'), layout: first('layout'), tools: first('tools'), system: first('system') })
}

function blocksOf({ value, self }: Started): readonly PromptBlock[] {
  return value.promptBlocks?.(self) ?? []
}

function toolsOf(each: Started): readonly Tool[] {
  const { value, self } = each
  try {
    return [...(value.tools?.(self) ?? []), ...blocksOf(each).flatMap(({ tools }) => tools)]
  } catch (error) {
    throw faultOf(value, 'could not give its tools', error)
  }
}

function layersOf(each: Started, context: LayerContext, parts: TurnParts): Promise<readonly Layer[]> {
  return guarded(each, 'could not give its layers', async ({ value, self }) => [
    ...((await value.layers?.(self, context)) ?? []),
    ...((await parts.get(value.name)?.layers?.(context)) ?? []),
  ])
}

async function guarded<Result>(
  each: Started,
  what: string,
  work: (each: Started) => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work(each)
  } catch (error) {
    throw faultOf(each.value, what, error)
  }
}

async function stop(started: readonly Started[]): Promise<void> {
  const faults = await stopAll(started)
  if (faults.length === 1) throw faults[0]
  if (faults.length > 1) throw new AggregateError(faults, faults.map(({ message }) => message).join('; '))
}

async function stopAll(started: readonly Started[]): Promise<readonly Error[]> {
  const faults: Error[] = []
  for (const { value, self } of started.toReversed()) {
    try {
      await value.stop?.(self)
    } catch (error) {
      faults.push(faultOf(value, 'did not stop', error))
    }
  }
  return faults
}

function faultOf(value: AnyCapability, what: string, error: unknown, others: readonly Error[] = []): Error {
  const why = [errorMessage(error), ...others.map(({ message }) => message)]
  return new Error(`The ${isPlugin(value) ? 'plugin' : 'capability'} ${value.name} ${what}: ${why.join('; ')}`, {
    cause: error,
  })
}
