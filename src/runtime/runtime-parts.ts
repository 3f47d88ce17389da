import { join } from 'node:path'
import type { AnyCapability, CapabilityPlaces, Channel, Clock, Runtime, RunningCapabilities } from '../capability.ts'
import { startCapabilities } from '../capability/toolkit.ts'
import { layoutOf } from '../context.ts'
import type { Models } from '../model.ts'
import type { SessionStore } from '../session.ts'
import type { Tool } from '../tool.ts'
import type { HandOver } from './channels/channel-run.ts'
import type { MoneyBudget } from './budgets/call-budgets.ts'
import type { GroupAccounts } from './budgets/member-ledger.ts'
import { localTimeZone } from '../platform.ts'
import { homeAt } from './home/home.ts'
import type { KeepRules } from './home/keep-rules.ts'
import { rememberCounts } from './models/counters.ts'
import type { PersonLimits } from './people/person-limits.ts'
import type { SharedRecords } from './people/shared-records.ts'
import { createRecords } from './records.ts'
import type { LiveModels } from './models/model-choice.ts'
import type { HomeSecrets } from './secrets/home-secrets.ts'
import type { LiveConfiguration } from './team/live-configuration.ts'
import type { RuntimeSettings } from './settings.ts'
import type { CheckpointService } from './audit/checkpoint-service.ts'
import type { ToolPolicy } from './tools/tool-policy.ts'
import type { StoreHealth } from './watched-store.ts'

/** Everything a runtime is made of. It stops the capabilities and closes the store when it is closed. */
export interface RuntimeParts {
  readonly version: string
  readonly home: string
  readonly store: SessionStore
  /** The address of the database of the store, without its password; absent where it is none. */
  readonly database?: string
  /** Whether the store takes what is written. It does where absent. */
  readonly storeHealth?: StoreHealth
  /** Takes checkpoints of its audit. Without it the chain alone is verified. Closed before the store. */
  readonly checkpoints?: CheckpointService
  readonly models: Models
  /** What of the models can change while it runs. Default: the model of `settings`, and no configured providers. */
  readonly live?: LiveModels
  /** Its capabilities, in the order of their layers and tools. */
  readonly capabilities?: readonly AnyCapability[]
  /** Of the capabilities, by name. Of one that is not named its settings are parsed from nothing. */
  readonly capabilitySettings?: Readonly<Record<string, unknown>>
  readonly settings: RuntimeSettings
  /** How long is kept what gathers by itself. For good where absent. */
  readonly keep?: KeepRules
  /** In the home of a person: what they may use now, in the place of `budgets` and of what `settings` say about it. */
  readonly limits?: (() => PersonLimits) | undefined
  /** Limits in money and tokens. None where absent. */
  readonly budgets?: readonly MoneyBudget[]
  /** In the home of a person: the accounts that they share with others. */
  readonly groups?: GroupAccounts | undefined
  /** `false`: nobody is asked about a call that could pass one, and it is refused. */
  readonly mayPassBudgets?: boolean
  /** `budgets` as they are configured now, for a reload; `undefined`: `limits` has them. Rejects where they cannot be read. Absent: they stay as they are. */
  readonly readBudgets?: () => Promise<readonly MoneyBudget[] | undefined>
  readonly clock: Clock
  /** Folder that tools work in; `workspace` in the home where absent. */
  readonly workspace?: string
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Places that tools on files keep away from, besides those of the capabilities. */
  readonly places?: CapabilityPlaces
  /** File of the index of the history, or `:memory:`; beside the store in the home where absent. */
  readonly historyIndex?: string
  /** The owner's time zone. This machine's where absent. */
  readonly timeZone?: string
  /** In the home of the owner: gives what came in over a channel for a person to their home. */
  readonly handOver?: HandOver | undefined
  /** In the home of the owner: what its configuration shares with other gateways. */
  readonly sharing?: Pick<LiveConfiguration, 'share' | 'state'> | undefined
  /** What the owner of the gateway shares, in the home of a person. */
  readonly sharedRecords?: SharedRecords | undefined
  /** The secrets that it knows: no result, layer, warning or error contains one. None where absent. */
  readonly secrets?: HomeSecrets
  /** Decides alone what may run. */
  readonly policy: ToolPolicy
  readonly tools?: readonly Tool[]
  /** Whether the channels of the capabilities are opened. `false` unless given. */
  readonly listens?: boolean
  readonly channels?: readonly Channel[]
  readonly warnings?: readonly string[]
  readonly warn?: (text: string) => void
  /** Whether turns that a former process left are resumed, and anything is written. */
  readonly recovers?: boolean
  /**
   * It ends with one command: a turn that another process left begins with the next message of its session, and closing
   * cancels what is being answered, so that no later process pays for it again. `false` unless given.
   */
  readonly endsWithCommand?: boolean
}

/** The parts with what may be left out. */
export type WholeParts = ReturnType<typeof wholeParts>

export function wholeParts(given: RuntimeParts) {
  const { home } = given
  const settings: RuntimeSettings = {
    ...given.settings,
    counter: rememberCounts(given.settings.counter),
    get turnsAtOnce() {
      return (given.limits?.() ?? given.settings).turnsAtOnce
    },
    get maxOpenTurns() {
      return (given.limits?.() ?? given.settings).maxOpenTurns
    },
  }
  const writes = given.recovers !== false
  return {
    ...given,
    data: homeAt(home).data,
    workspace: given.workspace ?? join(home, 'workspace'),
    environment: given.environment ?? {},
    capabilities: given.capabilities ?? [],
    live: given.live ?? { model: settings.model, providers: {}, changed: new Set<() => void>() },
    timeZone: given.timeZone ?? localTimeZone(),
    settings,
    writes,
    listens: given.listens === true && writes,
  }
}

/** Starts the capabilities of a runtime, which comes into being after them. */
export function startParts(
  parts: WholeParts,
  {
    warn,
    runtime,
  }: {
    readonly warn: (text: string) => void
    /** Throws until there is one. */
    readonly runtime: () => Runtime
  },
): Promise<RunningCapabilities> {
  const { home, data, workspace, settings, environment, timeZone, store, clock, secrets, writes, listens } = parts
  return startCapabilities(parts.capabilities, {
    settings: parts.capabilitySettings ?? {},
    home: { folder: home, data, workspace },
    environment,
    version: parts.version,
    layout: layoutOf(settings.layout),
    counter: settings.counter,
    timeZone,
    clock,
    store,
    writes,
    listens,
    access: () => parts.policy.current(),
    redact: (text) => secrets?.redact(text) ?? text,
    places: parts.places ?? {},
    records: (kind) => createRecords({ store, clock, shared: parts.sharedRecords }, kind),
    ofOwner: parts.sharedRecords,
    warn,
    runtime,
  })
}
