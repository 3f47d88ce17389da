import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { AnyCapability, Channel } from '../capability.ts'
import { pluginAsCapability } from '../capability/toolkit.ts'
import { type LayoutChoice, layoutOf, layouts } from '../context.ts'
import { createModels, type Model, ModelError, type Models } from '../model.ts'
import { canWriteIn, type Clock, defined, systemClock, type KnownSecrets } from '../platform.ts'
import { databaseName, openStore, type Standby, storePath } from '../session.ts'
import { endOrphans } from '../tool.ts'
import { openCheckpoints } from './audit/checkpoint-service.ts'
import type { MoneyBudget } from './budgets/call-budgets.ts'
import type { GroupAccounts } from './budgets/member-ledger.ts'
import { checkpointTargets } from './checkpoints/checkpoint-targets.ts'
import type { LiveConfiguration } from './team/live-configuration.ts'
import { loadConfiguration } from './configuration/load.ts'
import { ConfigurationError } from './configuration/problem.ts'
import { knownLayouts } from './configuration/schema.ts'
import { type Configuration, capabilitySettings, storeFields } from './configuration/configuration.ts'
import type { Environment } from './configuration/value.ts'
import { createRuntime, type HostedRuntime } from './create-runtime.ts'
import { createHome, homeAt, protectedPlaces } from './home/home.ts'
import { moduleFiles } from './load-module.ts'
import { loadPlugins } from './load-plugins.ts'
import type { RuntimeParts } from './runtime-parts.ts'
import type { LiveModels } from './models/model-choice.ts'
import { findCounter } from './models/counters.ts'
import { ownersFolders } from './people/person-configuration.ts'
import { groupBudgets, type PersonLimits } from './people/person-limits.ts'
import type { SharedRecords } from './people/shared-records.ts'
import { secretFiles, openHomeSecrets, secretVariables } from './secrets/home-secrets.ts'
import { type PinnedPolicy, pinnedPolicy, unconfinedPrograms } from './tools/pinned-policy.ts'
import { watchStore } from './watched-store.ts'

export interface OpenOptions {
  /** Its capabilities, in the order of their layers and tools. */
  readonly capabilities: readonly AnyCapability[]
  readonly home: string
  readonly configuration: Configuration
  /** Keys are looked up here, by the names the configuration gives. */
  readonly environment: Environment
  readonly version: string
  /** The clock of this machine unless given. */
  readonly clock?: Clock
  /** Whether the channels of the capabilities are opened. `false` unless given. */
  readonly listens?: boolean
  /** Channels besides those of the capabilities. Not started where nothing is resumed. */
  readonly channels?: readonly Channel[]
  /** What is known to be wrong already, for the status. */
  readonly warnings?: readonly string[]
  readonly warn?: (text: string) => void
  /** `false`: beside a process that works on the home. Nothing is resumed or written. */
  readonly recovers?: boolean
  /** It ends with one command: what is being answered then is cancelled. `false` unless given. */
  readonly endsWithCommand?: boolean
  /** Nothing will be written: a home without a store stays without one, and what is needed is kept in memory. */
  readonly onlyReads?: boolean
  /** Where another gateway has the store, this one waits for it before anything else. Absent: it is refused. */
  readonly standby?: Standby
  /** The models as they are chosen now, shared with others; its own unless given. */
  readonly live?: LiveModels
  readonly handOver?: RuntimeParts['handOver']
  /** Its configuration where other gateways can change it, too. */
  readonly sharing?: (RuntimeParts['sharing'] & Pick<LiveConfiguration, 'now'>) | undefined
  /** The home around it, where it is that of a person. */
  readonly within?: EnclosingHome
}

/** The home that the home of a person lies in: what its owner decides there counts here. */
export interface EnclosingHome {
  readonly home: string
  /** The models as they are chosen there now. */
  readonly live: LiveModels
  readonly policy: PinnedPolicy
  /** Folders of its owner that no tool here may touch, beside that home. */
  readonly outOfReach: readonly string[]
  /** What its owner shares with this person. */
  readonly shared: SharedRecords
  /** The accounts that this person shares with other members of their groups. */
  readonly groups: GroupAccounts
  /** What this person may use now. */
  limits(): PersonLimits
  /** Reads the settings of `limits` again. Rejects where they cannot be read. */
  readLimits(): Promise<void>
}

/** A runtime over a home, as its configuration has it. Closing it closes everything. */
export async function openRuntime(options: OpenOptions): Promise<HostedRuntime> {
  const { capabilities, home, environment, version, channels, listens, warn, recovers, onlyReads } = options
  const { endsWithCommand, within } = options
  const { clock = systemClock } = options
  const storeFile = storePath(homeAt(home).data)
  const database = options.configuration.store
  const hasStore = database !== undefined || existsSync(storeFile)
  const isEmpty = onlyReads === true && !hasStore && statSync(home, { throwIfNoEntry: false })?.isDirectory() !== false
  const isReadOnly = onlyReads === true && hasStore && !canWriteIn(dirname(storeFile))
  if (!isEmpty && !isReadOnly) await createHome(homeAt(home))
  const [opened, counter] = await Promise.all([
    database === undefined
      ? openStore({ path: isEmpty ? ':memory:' : storeFile, clock, readOnly: isReadOnly })
      : import('./configuration/home-store.ts').then(({ openHomeDatabase }) =>
          openHomeDatabase(home, database, environment, {
            clock,
            readOnly: onlyReads === true,
            beside: recovers === false,
            standby: options.standby,
          }),
        ),
    findCounter(options.configuration.context.counter),
  ])
  // It may have waited for the store.
  const configuration = options.sharing?.now() ?? options.configuration
  const { context, agent, model, providers, models, plugins } = configuration
  const { workspace } = agent
  const live: LiveModels = within?.live ?? options.live ?? { model, providers, models, changed: new Set() }
  const early = [...(options.warnings ?? [])]
  const orphans = recovers === false || !hasStore ? 0 : endOrphans(home)
  if (orphans > 0) {
    const text = `Stopped ${orphans} programs that a former process had left running.`
    early.push(text)
    warn?.(text)
  }
  const targets = checkpointTargets(configuration.audit.checkpoints, { home, environment })
  const checkpoints =
    recovers === false || onlyReads === true
      ? undefined
      : await openCheckpoints({
          home,
          store: opened,
          targets,
          everyRecords: configuration.audit.checkpointRecords,
          everyMs: configuration.audit.checkpointMinutes * MINUTE_MS,
          clock,
          warn(text) {
            early.push(text)
            warn?.(text)
          },
        })
  const secrets = await openHomeSecrets({
    home,
    environment,
    configuration,
    variables: secretVariables(capabilities),
    files: () => secretFiles({ ...configuration, ...live }),
  })
  const files =
    opened.gateways === undefined || recovers === false || onlyReads === true
      ? undefined
      : await import('./home/home-files.ts').then(({ openHomeFiles }) =>
          openHomeFiles({
            home,
            store: opened,
            clock,
            folders: ownersFolders(configuration, capabilities).filter((folder) => folder !== workspace),
            warn: (text) => warn?.(text),
          }).catch(async (error: unknown) => {
            await opened.close()
            throw error
          }),
        )
  const { store, health } = watchStore(opened, clock, (records) => checkpoints?.noteRecords(records), files?.close)
  const policy =
    within?.policy ??
    pinnedPolicy({
      home,
      environment,
      store,
      clock,
      writes: recovers !== false && onlyReads !== true,
      programs: unconfinedPrograms(configuration, capabilities),
      async programsNow() {
        const { configuration: now, problems } = await loadConfiguration({ home, environment, capabilities })
        return problems.length > 0 ? ['config.json has mistakes'] : unconfinedPrograms(now, capabilities)
      },
      warn: (text) => warn?.(text),
    })
  try {
    await policy.start()
    return await createRuntime({
      version,
      home,
      store,
      storeHealth: health,
      ...(database !== undefined && {
        database: databaseName(storeFields(database)),
      }),
      ...defined({ checkpoints }),
      secrets,
      models: cleanModels(
        createModels({
          clock,
          known: capabilities.flatMap((each) => each.models?.providers ?? []),
          get providers() {
            return live.providers
          },
          models,
          environment,
        }),
        secrets,
      ),
      live,
      capabilities: [
        ...capabilities,
        ...(await loadPlugins(plugins, { home: within?.home ?? home, workspace })).map(pluginAsCapability),
      ],
      capabilitySettings: Object.fromEntries(
        capabilities.map((capability) => [capability.name, capabilitySettings(configuration, capability)]),
      ),
      policy,
      workspace,
      environment,
      places: {
        outOfReach: [
          ...protectedPlaces(home),
          ...(within ? [...protectedPlaces(within.home), ...within.outOfReach] : []),
          ...targets.flatMap(({ path }) => path ?? []),
        ],
        readOnly: moduleFiles([...plugins, ...configuration.capabilities], within?.home ?? home),
      },
      timeZone: context.timeZone,
      sharedRecords: within?.shared,
      handOver: options.handOver,
      sharing: options.sharing,
      keep: configuration.keep,
      budgets: moneyBudgets(configuration),
      limits: within?.limits,
      groups: within?.groups,
      // A limit of the owner is none if those that it limits could pass it.
      mayPassBudgets: within === undefined,
      async readBudgets() {
        if (within) {
          await within.readLimits()
          return undefined
        }
        const { configuration: now, problems } = await loadConfiguration({ home, environment, capabilities })
        const wrong = problems.filter(({ key }) => key === '' || ['budgets', 'people'].includes(key.split(/[.[]/)[0]!))
        if (wrong.length > 0) throw new ConfigurationError(wrong)
        return moneyBudgets(now)
      },
      clock,
      settings: {
        ...defined({
          model,
          reserve: context.reserve,
          margin: context.margin,
          reasoning: agent.reasoning,
          turnsAtOnce: agent.turnsAtOnce,
        }),
        maxOpenTurns: agent.maxOpenTurns,
        notes: context.notes,
        cutWhen: context.cutWhen,
        layout: resolveLayout(context.layout, capabilities),
        counter,
        maxSteps: agent.maxSteps,
        toolTimeoutMs: agent.toolTimeoutMs,
        maxResultChars: agent.maxResultChars,
        maxTurnResultChars: agent.maxTurnResultChars,
        retryDelaysMs: growingRetriesMs,
        retryForMs: agent.retryForMs,
        maxAnswerMs: agent.maxAnswerMs,
        completions: context.completions,
      },
      warnings: early,
      ...(isEmpty || isReadOnly ? { historyIndex: ':memory:' } : {}),
      ...defined({ channels, listens, warn, recovers, endsWithCommand }),
    })
  } catch (error) {
    await checkpoints?.close()
    await store.close()
    throw error
  }
}

const MINUTE_MS = 60_000

/** Those of the owner, and those that members of groups share, which the owner sees. */
function moneyBudgets({ budgets, people }: Configuration): readonly MoneyBudget[] {
  return [...budgets.map((budget) => defined(budget) as MoneyBudget), ...groupBudgets(people)]
}

/** A layout that a capability brings is handed on as a value; others go by their names. */
function resolveLayout(choice: LayoutChoice, capabilities: readonly AnyCapability[]): LayoutChoice {
  const name = typeof choice === 'string' ? choice : 'extends' in choice ? choice.extends : choice.name
  const known = knownLayouts(capabilities)
  return known[name] === layouts[name] ? choice : layoutOf(choice, known)
}

/** Waits before a model call is made again, ms: together, a little less than a minute. */
const growingRetriesMs = [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000, 8_000, 8_000]

/** Models whose failures contain no secret: a server may repeat what it was sent, and more. */
function cleanModels(models: Models, { redact }: Pick<KnownSecrets, 'redact'>): Models {
  const cleaned = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answer.catch((error: unknown) => {
      throw cleanError(error, redact)
    })
  return {
    ...models,
    model: async (id) => cleanModel(await cleaned(models.model(id)), redact),
    choose: () => cleaned(models.choose()),
    list: async () => {
      const listed = await cleaned(models.list())
      return listed.map((each) => (each.ready || each.why === undefined ? each : { ...each, why: redact(each.why) }))
    },
  }
}

type Redact = KnownSecrets['redact']

function cleanModel(model: Model, redact: Redact): Model {
  const properties = Object.getOwnPropertyDescriptors(model)
  const copy = Object.create(Object.getPrototypeOf(model) as object, properties) as Model
  return Object.defineProperty(copy, 'call', {
    value: async function* (...given: Parameters<Model['call']>) {
      try {
        yield* model.call(...given)
      } catch (error) {
        throw cleanError(error, redact)
      }
    },
  })
}

function cleanError(error: unknown, redact: Redact): unknown {
  if (!(error instanceof ModelError)) return error
  const { code, facts, hint } = error
  const message = redact(error.message)
  const detail = facts.detail === undefined ? undefined : redact(facts.detail)
  if (message === error.message && detail === facts.detail) return error
  return new ModelError(code, message, { ...facts, ...(detail !== undefined && { detail }) }, { hint })
}
