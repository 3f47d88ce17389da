import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { type AnyCapability, type Pairings, RuntimeError } from '../../capability.ts'
import { type Clock, ForewordError } from '../../platform.ts'
import { type BudgetLedger, claimHome, type LifeSigns, type Standby, type Waiting } from '../../session.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { loadConfiguration } from '../configuration/load.ts'
import { ConfigurationError } from '../configuration/problem.ts'
import type { Environment } from '../configuration/value.ts'
import type { HostedRuntime } from '../create-runtime.ts'
import { createHome, createWorkspace, homeAt } from '../home/home.ts'
import { openRuntime } from '../open-runtime.ts'
import { peopleFolder, personHome } from '../tokens/people.ts'
import { ownersFolders, personCapabilities, personConfiguration } from './person-configuration.ts'
import { liveLimits } from './person-limits.ts'
import { personPolicy } from './person-policy.ts'
import { makeFolder, removeFormer } from './removed-homes.ts'
import { sharedRecords, type SharingHome } from './shared-records.ts'

/** The home of a person that is open here. */
export interface OpenPersonHome {
  readonly runtime: HostedRuntime
  readonly release: () => void
}

export interface PersonHomeOptions {
  /** The home of the gateway. */
  readonly home: string
  /** Of the home of the gateway, as it was opened. */
  readonly configuration: Configuration
  /** Those of the program, and those that the configuration names. */
  readonly capabilities: readonly AnyCapability[]
  readonly environment: Environment
  readonly version: string
  /** Of this process, on a database. */
  readonly signs?: LifeSigns | undefined
  readonly clock: Clock
  /** What the owner has decided for everybody. */
  readonly shared: Pick<HostedRuntime['shared'], 'live'> & { readonly policy: Parameters<typeof personPolicy>[0] }
  /** What the owner shares of it, as it is open now. */
  readonly owner: () => SharingHome
  /** The accounts that members of a group share. */
  readonly groups: BudgetLedger
  /** Does something to the pairings in the store of the owner, wherever that is open. */
  readonly inOwners: <Result>(work: (pairings: Pairings) => Promise<Result>) => Promise<Result>
  readonly warn: (text: string) => void
}

/** The home of a person is open at another gateway on the same database. */
export class HomeElsewhere extends ForewordError {
  override readonly name = 'HomeElsewhere'
  /** Where that gateway is reached. */
  readonly address: string

  constructor(address: string) {
    super('standby', `It is open at ${address}.`)
    this.address = address
  }
}

/** How long a home whose gateway says nothing is waited for, ms: longer than the lease after which its store can be taken. */
const TAKE_MS = 6_000
const LOOK_MS = 100

/**
 * Opens the home of a person: a runtime over their own store, files and workspace.
 *
 * @throws HomeElsewhere; RuntimeError `standby` where its gateway is neither there nor gone
 */
export async function openPersonHome(
  name: string,
  options: PersonHomeOptions,
  /** Whether a gateway that has the home is taken for gone, by its address. */
  isGone: (address: string) => boolean,
): Promise<OpenPersonHome> {
  const { home, environment, clock } = options
  const { folder, configuration, ...opening } = openingOf(name, options)
  await makePersonHome(home, name, options.owner().store)
  const claim = await claimHome(folder, { pid: process.pid, started: clock.time() }, { environment })
  const warn = (text: string) => options.warn(`${name}: ${text}`)
  const wait = waitForHome(options, isGone)
  try {
    const fault = await createWorkspace(configuration.agent.workspace)
    for (const text of [fault, claim.warning]) if (text !== undefined) warn(text)
    const runtime = await openRuntime({
      ...opening,
      home: folder,
      configuration,
      listens: true,
      warn,
      ...(configuration.store !== undefined && { standby: wait.standby }),
    })
    return { runtime, release: claim.release }
  } catch (error) {
    claim.release()
    throw wait.reason() ?? error
  } finally {
    wait.end()
  }
}

/** Opens the home of a person to look at, while another gateway has it. Closing it closes everything. */
export function readPersonHome(name: string, options: PersonHomeOptions): Promise<HostedRuntime> {
  const { folder, ...opening } = openingOf(name, options)
  return openRuntime({ ...opening, home: folder, recovers: false, onlyReads: true })
}

function openingOf(
  name: string,
  { home, capabilities, environment, version, clock, shared, owner, groups, inOwners, ...given }: PersonHomeOptions,
) {
  const folder = personHome(home, name)
  const limits = liveLimits(name, given.configuration.people, () => owner().people)
  return {
    folder,
    capabilities: personCapabilities(capabilities),
    configuration: personConfiguration(given.configuration, capabilities, { name, home: folder }),
    environment,
    version,
    clock,
    within: {
      home,
      live: shared.live,
      policy: personPolicy(shared.policy),
      shared: sharedRecords(home, owner, name, { room: limits.now, inOwners }),
      outOfReach: ownersFolders(given.configuration, capabilities),
      limits: limits.now,
      groups: { ledger: groups, member: name },
      async readLimits() {
        const { configuration, problems } = await loadConfiguration({ home, environment, capabilities })
        if (problems.length > 0) throw new ConfigurationError(problems)
        limits.set(configuration.people)
      },
    },
  }
}

/** Makes the folder of a new person. Rejects with RuntimeError `exists` where something is in it. */
export async function makeNewHome(home: string, name: string, store: SharingHome['store']): Promise<void> {
  const folder = personHome(home, name)
  await mkdir(peopleFolder(home), { recursive: true, mode: 0o700 })
  await removeFormer(home, name, store)
  if ((await readdir(folder).catch(() => [])).length > 0) {
    const hint = `Move ${folder} away: it holds what belonged to somebody of this name.`
    throw new RuntimeError('exists', `There is a home of ${name} already.`, { person: name }, { hint })
  }
  await makePersonHome(home, name, store)
}

/** Makes the folder of a person where it is missing, with the prompt of the owner: the edited one, or else that of the files. */
async function makePersonHome(home: string, name: string, store: SharingHome['store']): Promise<void> {
  await makeFolder(home, name, store)
  const own = homeAt(personHome(home, name))
  const isNew = !existsSync(own.context)
  await createHome(own)
  if (!isNew) return
  const owners = homeAt(home)
  for (const file of ['systemPromptFile', 'soulFile'] as const) {
    await mkdir(dirname(own[file]), { recursive: true, mode: 0o700 })
    await copyFile(owners[file], own[file]).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    })
  }
  const edited = (await store.records('prompt')).at(-1)
  if (edited === undefined) return
  await writeFile(own.systemPromptFile, (edited.value as { readonly text: string }).text, { mode: 0o600 })
}

/** How the store of a person is opened where another gateway may have it: who that is, or the store once that one is gone. */
function waitForHome(
  { clock, version, signs }: Pick<PersonHomeOptions, 'clock' | 'version' | 'signs'>,
  isGone: (address: string) => boolean,
) {
  const ending = new AbortController()
  let reason: Error | undefined
  let stopLooking: (() => void) | undefined
  const give = (why: Error) => {
    reason ??= why
    ending.abort()
  }
  let heartbeat: string | undefined
  function look(waiting: Waiting, until: number): void {
    const active = waiting.active()
    if (active?.address !== undefined && active.state === 'active') {
      if (!isGone(active.address)) return give(new HomeElsewhere(active.address))
      heartbeat ??= active.heartbeat
      // It is alive, so that its home is not to be had: it is this gateway that does not reach it.
      if (active.heartbeat !== heartbeat) return give(unreachable())
    }
    if (clock.monotonic() > until) give(unreachable())
  }
  const standby: Standby = {
    gateway: { host: hostname(), version, signs },
    signal: ending.signal,
    waits(waiting) {
      const until = clock.monotonic() + TAKE_MS
      look(waiting, until)
      stopLooking = clock.every(LOOK_MS, () => look(waiting, until))
    },
  }
  return {
    standby,
    /** Why the wait was ended here; `undefined`: it was not. */
    reason: () => reason,
    end: () => stopLooking?.(),
  }
}

function unreachable(): RuntimeError {
  return new RuntimeError('standby', 'The gateway that has this home does not answer. Try again in some seconds.')
}
