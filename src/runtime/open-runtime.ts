import { statSync } from 'node:fs'
import { type LayoutChoice, layoutOf, layouts } from '../context.ts'
import { createDocumentReader, type DocumentReader } from '../document.ts'
import { createModels, type Provider } from '../model.ts'
import { type AnyCapability, type RunningPlugins, startPlugins } from '../capability.ts'
import type { SessionStore, StoreDriver } from '../session.ts'
import { accessFile, accessPlaces, endOrphans, readText } from '../tool.ts'
import type { Environment } from './configuration/environment.ts'
import { configuredEmbedder } from '../capabilities/search/configured-embedder.ts'
import { homePlugins } from './home-plugins.ts'
import type { Configuration } from './configuration/settled.ts'
import type { Channel } from '../capability.ts'
import { systemClock } from './clock.ts'
import type { Runtime } from './contract.ts'
import { counters } from './models/counters.ts'
import { createRuntime } from './create-runtime.ts'
import { openFileRoom } from '../capabilities/files/file-room.ts'
import { createHome, homeAt } from './home/home.ts'
import { openSubjectRoom, type SubjectRoom } from '../capabilities/subjects/subject-room.ts'
import { knownLayouts, knownStores } from './configuration/schema.ts'
import { storeDriver } from './store-of-home.ts'
import type { ToolPolicy } from './tools/tool-policy.ts'

export interface OpenOptions {
  /** What it can do, in the order of their layers and tools. */
  readonly capabilities: readonly AnyCapability[]
  /** Path of the home. */
  readonly home: string
  readonly configuration: Configuration
  /** Keys are looked up here, by the names the configuration gives. */
  readonly environment: Environment
  readonly version: string
  /** Where people talk besides the doors of the gateway. Not started where nothing is taken up. */
  readonly channels?: readonly Channel[]
  /** What `store` in the configuration may name. SQLite unless given. */
  readonly stores?: readonly StoreDriver[]
  /** The providers that entries of the configuration are of. Those that come with Foreword unless given. */
  readonly providers?: readonly Provider[]
  /** What is known to be wrong already, for the status. */
  readonly warnings?: readonly string[]
  /** Sentences for the operator. */
  readonly warn?: (text: string) => void
  /**
   * `false` opens the home beside a process that works on it: nothing is taken up. Writing is for the one that claimed
   * the home.
   */
  readonly recovers?: boolean
  /** Nothing will be written: a home without a store stays without one, and what is needed is kept in memory. */
  readonly onlyReads?: boolean
}

/** A runtime over a home, as its configuration has it. Closing it closes everything. */
export async function openRuntime(options: OpenOptions): Promise<Runtime> {
  const { home, configuration, environment, version, channels, warn, recovers, onlyReads } = options
  const { context, agent, model, providers, models } = configuration
  const driver = storeDriver(configuration, options.stores ?? knownStores(options.capabilities))
  const { data } = homeAt(home)
  const isEmpty = onlyReads === true && !(await driver.exists(data)) && couldBeFolder(home)
  if (!isEmpty) await createHome(homeAt(home))
  const policy = accessFile(accessPlaces(home), environment, readText)
  const [store, counter] = await Promise.all([
    driver.open({ folder: data, inMemory: isEmpty }),
    counters(context.counter),
  ])
  const { files: limits } = configuration
  const reader = createDocumentReader({ limits: { bytes: limits.maxBytes } })
  let runtime: Runtime | undefined
  const early = [...(options.warnings ?? [])]
  /** Until there is a runtime, what is told is kept for its status. */
  const tell = (text: string) => {
    if (!runtime) early.push(text)
    warn?.(text)
  }
  const subjects = openSubjectRoom({
    ...configuration.subjects,
    store,
    clock: systemClock,
    asksByItself: recovers !== false,
    complete: (input) => runtime!.complete(input),
    warn: tell,
  })
  const plugins = await startedPlugins(options, { store, policy, reader, subjects })
  const orphans = recovers === false ? 0 : endOrphans()
  if (orphans > 0) tell(`${orphans} programs that a former process had left running were ended.`)
  const { embedder, meaning, warnings } = configuredEmbedder(configuration.search, environment)
  for (const warning of warnings) tell(warning)
  const files = openFileRoom({
    ...(embedder ? { embedder } : {}),
    ...(meaning ? { meaning } : {}),
    store,
    data,
    clock: systemClock,
    counter,
    limits,
    reader,
    readOnly: recovers === false,
    warn: tell,
  })
  runtime = await createRuntime({
    version,
    home,
    store,
    models: createModels({
      known: options.providers ?? options.capabilities.flatMap((one) => one.providers ?? []),
      providers,
      models,
      environment,
    }),
    plugins,
    policy,
    files,
    ...(isEmpty ? { historyIndex: ':memory:' } : {}),
    timeZone: context.timeZone,
    subjects,
    clock: systemClock,
    settings: {
      ...(model === undefined ? {} : { model }),
      layout: ownLayout(context.layout, options.capabilities),
      counter,
      ...(context.reserve === undefined ? {} : { reserve: context.reserve }),
      ...(context.margin === undefined ? {} : { margin: context.margin }),
      maxSteps: agent.maxSteps,
      toolTimeoutMs: agent.toolTimeoutMs,
      maxResultChars: agent.maxResultChars,
      maxTurnResultChars: agent.maxTurnResultChars,
      retryDelaysMs: growingRetriesMs,
      retryForMs: agent.retryForMs,
      maxAnswerMs: agent.maxAnswerMs,
      completions: context.completions,
      memory: context.memory,
      ...(configuration.subjects.default === undefined ? {} : { subject: configuration.subjects.default }),
      ...(agent.reasoning === undefined ? {} : { reasoning: agent.reasoning }),
    },
    ...(channels ? { channels } : {}),
    warnings: early,
    ...(warn ? { warn } : {}),
    ...(recovers === undefined ? {} : { recovers }),
  })
  return runtime
}

/** A layout that a capability brings is handed on as a value; others go by their names. */
function ownLayout(choice: LayoutChoice, capabilities: readonly AnyCapability[]): LayoutChoice {
  const name = typeof choice === 'string' ? choice : 'extends' in choice ? choice.extends : choice.name
  const known = knownLayouts(capabilities)
  return known[name] === layouts[name] ? choice : layoutOf(choice, known)
}

function couldBeFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() !== false
}

/** Waits before a model call is made again, ms: together, a little less than a minute. */
const growingRetriesMs = [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000, 8_000, 8_000]

/** What plugins are made of, besides the configuration. */
interface PluginParts {
  readonly store: SessionStore
  readonly policy: ToolPolicy
  readonly reader: DocumentReader
  readonly subjects: SubjectRoom
}

/** The plugins of the home. Where one does not start, the store is given free again. */
async function startedPlugins(
  { home, capabilities, configuration, environment, version, recovers }: OpenOptions,
  { store, policy, reader, subjects }: PluginParts,
): Promise<RunningPlugins> {
  try {
    return await startPlugins(
      await homePlugins(configuration, {
        home,
        environment,
        version,
        policy,
        store,
        subjects,
        readDocument: reader.read,
        connects: recovers !== false,
        capabilities,
      }),
    )
  } catch (error) {
    await Promise.all([store.close(), reader.close()])
    throw error
  }
}
