import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RuntimeError } from '../../capability.ts'
import { type Clock, defined, errorMessage, settlesWithin, withTimeout } from '../../platform.ts'
import { budgetLedgerFile, type GatewayRow, openSharedLedger, StoreError } from '../../session.ts'
import { openStoredInbox } from '../channels/stored-inbox.ts'
import { personStore } from '../configuration/configuration.ts'
import type { HostedRuntime } from '../create-runtime.ts'
import { cutOffError } from '../failure.ts'
import { homeAt } from '../home/home.ts'
import { isThere, type People, type Person, type PersonDraft, personHome, personNotFound } from '../tokens/people.ts'
import { besideHomes } from './beside-homes.ts'
import {
  HomeElsewhere,
  makeNewHome,
  type OpenPersonHome,
  openPersonHome,
  type PersonHomeOptions,
  readPersonHome,
} from './open-person-home.ts'
import { createPlacement, type Peers } from './placement.ts'
import { noteRemoved, removeAllFormer } from './removed-homes.ts'
import type { UsedSettings } from './used-settings.ts'

/** The homes of the people of a gateway: each has a runtime over a store, files and a workspace of its own. */
export type PeopleHomes = ReturnType<typeof openPeopleHomes>

/** Where the home of a person is open: here, or at another gateway on the same database, by its address. */
export type HomePlace = { readonly runtime: HostedRuntime } | { readonly elsewhere: string }

/** What the homes of people lie in, as it is now: a gateway that stood by may take the home of the owner over. */
export interface PeopleParts {
  readonly people: People
  /** That of the owner, who shares some of it. */
  readonly store: HostedRuntime['store']
  /** What the owner has decided for everybody. */
  readonly shared: HostedRuntime['shared']
  /** This gateway among those on the database; absent: it is the only one. */
  readonly peers?: Peers | undefined
}

export interface PeopleHomesOptions extends Omit<PersonHomeOptions, 'shared' | 'owner' | 'groups' | 'inOwners'> {
  readonly around: () => PeopleParts
  readonly now?: () => Promise<PersonHomeOptions['configuration']>
  /** Beside a gateway that has them: nothing is opened but to look at. */
  readonly onlyReads?: boolean
}

/** How long a home is taken to be where it was found, ms. */
const FOUND_MS = 2_000
/** How long the database may need to say who has a home, ms. */
const HOLDER_MS = 2_000
/** How long another gateway may need to say that it is there, ms. */
const ANSWER_MS = 4_000
/** How many homes are opened at once where a gateway is gone: one that has to be waited for keeps no other one. */
const OPENED_AT_ONCE = 4
/** How many looks at the list of gateways a home has to be quiet for before it moves to where it belongs. */
const QUIET_LOOKS = 3

/** Loaded with a database, or with a person. */
const homeStores = () => import('../configuration/home-store.ts')

/** Opens nothing yet: the home of a person is opened when something is asked of it, or with `openAll`. */
export function openPeopleHomes(options: PeopleHomesOptions) {
  const { home, environment, clock, warn, around } = options
  const { store: database } = options.configuration
  const groups = openSharedLedger(
    async () =>
      database === undefined
        ? { file: join(homeAt(home).data, budgetLedgerFile) }
        : (await homeStores()).databaseAddress(database, environment),
    clock,
  )
  const people = () => around().people
  const beside = besideHomes(options, () => around().store)
  const parts = { ...options, groups, inOwners: beside.inOwners }
  const peers = () => around().peers
  /** Homes stay open when the home of the owner comes here, and with it what holds for everybody. */
  const shared = (): PersonHomeOptions['shared'] => ({
    live: around().shared.live,
    policy: {
      current: () => around().shared.policy.current(),
      offering: () => {
        const { policy } = around().shared
        return (policy.offering ?? policy.current)()
      },
    },
  })
  const opened = new Map<string, Promise<OpenPersonHome>>()
  const closing = new Map<string, Promise<void>>()
  const found = new Map<string, { readonly address: string; readonly until: number }>()
  const inUse = new Map<string, number>()
  const quiet = new Map<string, number>()
  const making = new Set<string>()
  const isCutOff = () => placement.isCutOff() || options.signs?.isSilent() === true
  const placement = createPlacement(clock, peers, (at) => answers(clock, at))
  let address: string | undefined
  let stopWatching: (() => void) | undefined
  let isClosing = false

  /** One that could not be opened is tried again at the next question. */
  function opening(name: string): Promise<OpenPersonHome> {
    if (isClosing)
      throw new RuntimeError('closing', 'The gateway is stopping and accepts no more input. Start it again.')
    const before = opened.get(name)
    if (before) return before
    const open = async () => {
      const configuration = (await options.now?.()) ?? options.configuration
      return openPersonHome(name, { ...parts, configuration, shared: shared(), owner: around }, placement.isGone)
    }
    // Where it was taken over and comes back, the former one gives its folder free first.
    const next = closing.get(name)?.then(open) ?? open()
    opened.set(name, next)
    void welcome(name, next)
    return next
  }

  /** Never rejects: who asks for the home hears of it. */
  async function welcome(name: string, next: Promise<OpenPersonHome>): Promise<void> {
    try {
      const { runtime } = await next
      if (address !== undefined) await runtime.store.gateways?.announce(address).catch(() => {})
      await runtime.store.failed
      // Another gateway has taken it over: what is here writes nothing any more.
      await close(name).catch(() => {})
    } catch (error) {
      opened.delete(name)
      if (error instanceof HomeElsewhere)
        found.set(name, { address: error.address, until: clock.monotonic() + FOUND_MS })
    }
  }

  /** The home of a person that is open here, or is being opened; `undefined` where that has failed, of which hears who asked for it. */
  const openHere = async (name: string) => opened.get(name)?.catch(() => undefined)

  /** `unlessInUse`: a request that has begun keeps it open. */
  async function close(name: string, { unlessInUse = false } = {}): Promise<void> {
    const own = opened.get(name)
    const one = await openHere(name)
    if (one === undefined || opened.get(name) !== own || (unlessInUse && isInUse(name))) return
    opened.delete(name)
    const ended = one.runtime.close().finally(() => {
      one.release()
      closing.delete(name)
    })
    closing.set(
      name,
      ended.catch(() => {}),
    )
    await ended
  }

  /** Opens what belongs here, closes what belongs elsewhere and is quiet, and what belongs to nobody any more. */
  async function settle(): Promise<void> {
    const all = people().list()
    for (const name of opened.keys()) {
      if (!isThere(all.find((each) => each.name === name))) await close(name)
      else if (placement.otherFor(name) === undefined || !(await isQuiet(name))) quiet.delete(name)
      else if ((quiet.get(name) ?? 0) >= QUIET_LOOKS) await close(name, { unlessInUse: true })
      else quiet.set(name, (quiet.get(name) ?? 0) + 1)
    }
    const isPresent = (name: string) =>
      opened.has(name) ||
      making.has(name) ||
      people()
        .list()
        .some((each) => each.name === name)
    await removeAllFormer(home, isPresent, around().store).catch((error: unknown) => warn(errorMessage(error)))
    const missing = all.filter(
      ({ name, leaving }) =>
        !leaving &&
        !opened.has(name) &&
        !making.has(name) &&
        placement.otherFor(name) === undefined &&
        (found.get(name)?.until ?? -Infinity) <= clock.monotonic(),
    )
    const openNext = async () => {
      for (let next = missing.shift(); next !== undefined; next = missing.shift()) {
        const { name } = next
        await opening(name).catch((error: unknown) => {
          if (!(error instanceof HomeElsewhere)) warn(`The home of ${name} could not be opened: ${errorMessage(error)}`)
        })
      }
    }
    await Promise.all(Array.from({ length: OPENED_AT_ONCE }, openNext))
  }

  /** The address of the gateway that has a home, as the database says. */
  async function holderOf(name: string): Promise<string | undefined> {
    const store = storeOf(name)
    if (store === undefined) return undefined
    const { homeHolder } = await homeStores()
    const holder = homeHolder(store, environment).catch((error: unknown) => {
      throw error instanceof StoreError && error.code === 'io' ? cutOffError(error) : error
    })
    return withTimeout(clock, holder, HOLDER_MS, { error: () => cutOffError() })
  }

  function storeOf(name: string) {
    const { store } = options.configuration
    return store && personStore(store, name)
  }

  const isInUse = (name: string): boolean => (inUse.get(name) ?? 0) > 0

  async function isQuiet(name: string): Promise<boolean> {
    if (isInUse(name)) return false
    const status = await (await openHere(name))?.runtime.status()
    return status?.running === 0 && status.queued === 0
  }

  const self = {
    /** Who they are. */
    get people() {
      return people()
    },
    /**
     * Where the home of a person is. `forwarded`: another gateway has handed the request on, so that it is opened here if it can be.
     * Rejects with RuntimeError `not-found` for nobody, and with what keeps the home from being opened.
     */
    async place(name: string, forwarded = false): Promise<HomePlace> {
      if (!isThere(people().find(name))) throw personNotFound(name)
      if (isCutOff()) throw cutOffError()
      const here = opened.get(name)
      if (here === undefined && peers() !== undefined) {
        const { address: at, until } = found.get(name) ?? { address: '', until: -Infinity }
        // Who hands a request on may have just closed what was found there.
        if (!forwarded && until > clock.monotonic() && !placement.isGone(at)) return { elsewhere: at }
        const other = forwarded ? undefined : placement.otherFor(name)
        if (other !== undefined) {
          // Who has it now may be another one still: then it has not been quiet since that one came.
          const holder = await holderOf(name)
          const where = holder === undefined || holder === address || placement.isGone(holder) ? other : holder
          found.set(name, { address: where, until: clock.monotonic() + FOUND_MS })
          return { elsewhere: where }
        }
      }
      try {
        return { runtime: (await (here ?? opening(name))).runtime }
      } catch (error) {
        if (error instanceof HomeElsewhere) return { elsewhere: error.address }
        // A database that is there again in a moment is no fault of the home.
        if (error instanceof StoreError && error.code === 'io' && peers() !== undefined) throw cutOffError(error)
        throw error
      }
    },
    /** The runtime of a person whose home is open here, or can be. Rejects as `place` does, and with `HomeElsewhere`. */
    async runtimeOf(name: string): Promise<HostedRuntime> {
      if (!isThere(people().find(name))) throw personNotFound(name)
      return (await opening(name)).runtime
    },
    /**
     * Gives what came in over a channel to the home of a person, in which it is on disk when this resolves: at another gateway it is put
     * into the inbox of the home, which looks for it. Rejects as `place` does.
     */
    async handOver(
      name: string,
      channel: string,
      came: { readonly id: string; readonly value: unknown },
    ): Promise<void> {
      const place = await self.place(name)
      if ('elsewhere' in place) {
        await beside.write(storeOf(name)!, (theirs) =>
          openStoredInbox(theirs, channel, clock).accept(came.id, came.value),
        )
        return
      }
      const theirs = place.runtime.channels.find((each) => each.name === channel)
      if (theirs?.accept === undefined) throw new Error(`the home of ${name} has no channel ${channel}`)
      await theirs.accept(came.value)
    },
    /** What a look at the home of a person finds, wherever it is open. Nothing is changed. */
    async look<Found>(name: string, work: (runtime: HostedRuntime) => Promise<Found>): Promise<Found> {
      const place = options.onlyReads ? undefined : await self.place(name)
      if (place && 'runtime' in place) return work(place.runtime)
      const runtime = await readPersonHome(name, { ...parts, shared: shared(), owner: around })
      try {
        return await work(runtime)
      } finally {
        await runtime.close()
      }
    },
    /** A request to the home of a person has begun here. Returns what says that it has ended. */
    hold(name: string): () => void {
      inUse.set(name, (inUse.get(name) ?? 0) + 1)
      return () => void inUse.set(name, inUse.get(name)! - 1)
    },
    /** Whether the home of a person is open here, or about to be. */
    isOpen: (name: string): boolean => opened.has(name),
    /** The gateways on the database, each with those whose homes are spread to it, and the settings of the team that it uses. */
    async spread<Row extends Pick<GatewayRow, 'id'>>(
      rows: readonly Row[],
    ): Promise<readonly (Row & { people?: readonly string[]; settings?: UsedSettings[string] })[]> {
      const settings = await (await import('./used-settings.ts')).usedSettings(around().store)
      const names = Map.groupBy(
        people()
          .list()
          .filter(isThere)
          .map(({ name }) => name),
        (name) => placement.gatewayFor(name)?.id,
      )
      return rows.map((row) => ({ ...row, ...defined({ people: names.get(row.id), settings: settings[row.id] }) }))
    },
    /** Whether a gateway, by its address, is taken for gone: it is not reached, or the database has no sign of life of it. */
    isGone: placement.isGone,
    /** Whether the database has no sign of life of a gateway. */
    isLost: placement.isLost,
    /** Whether the database has not answered this gateway for so long that another one may have what is here. */
    isCutOff,
    /** A gateway does not answer. */
    suspect(at: string): void {
      placement.suspect(at)
      for (const [name, { address: where }] of found) if (where === at) found.delete(name)
    },
    /**
     * Adds a person, and makes their home with the prompt of the owner. Rejects as `people.add` does, and with RuntimeError `exists`
     * where there is such a home already; then nobody was added.
     */
    async add(draft: PersonDraft, by: string): Promise<Person> {
      making.add(draft.name)
      try {
        const person = await people().add(draft, by)
        await makeNewHome(home, person.name, around().store).catch(async (error: unknown) => {
          await people().forget(person.name)
          throw error
        })
        return person
      } finally {
        making.delete(draft.name)
      }
    },
    /** Opens all of them, so that what a former process left unfinished goes on. Never rejects: what fails is a warning. */
    async openAll(): Promise<void> {
      for (const { name, leaving } of people().list()) {
        if (isClosing) return
        try {
          if (leaving) await remove(name)
          else if (peers() === undefined) await opening(name)
        } catch (error) {
          warn(`The home of ${name} could not be opened: ${errorMessage(error)}`)
        }
      }
    },
    /** From here on this gateway is reached at an address, and has homes among the others on the database. */
    async announce(at: string): Promise<void> {
      if (peers() === undefined) return
      address = at
      for (const name of opened.keys()) await (await openHere(name))?.runtime.store.gateways?.announce(at)
      await placement.read().catch(() => {})
      stopWatching ??= placement.watch(settle)
    },
    remove,
    /** Reads prompts and plugins of all that are open again. Resolves with their warnings. */
    async reload(): Promise<readonly string[]> {
      const homes = [...opened.keys()].map(async (name) => {
        const reloaded = await (await openHere(name))?.runtime.reload()
        return (reloaded?.warnings ?? []).map((text) => `${name}: ${text}`)
      })
      return (await Promise.all(homes)).flat()
    },
    async close(): Promise<void> {
      isClosing = true
      stopWatching?.()
      await Promise.all([...opened.keys()].map((name) => close(name)))
      groups.close()
    },
  }

  return self

  /** Ends the home of a person and removes it with everything in it. The person has to be leaving. */
  async function remove(name: string): Promise<void> {
    await close(name)
    const store = storeOf(name)
    if (store !== undefined) await (await homeStores()).removeHomeDatabase(store, environment, clock)
    await rm(personHome(home, name), { recursive: true, force: true })
    if (database !== undefined) await noteRemoved(database, { environment, clock }, name)
    await people().forget(name)
  }
}

/** Whether the gateway at an address is there: one that is frozen takes a connection and says nothing. */
async function answers(clock: Clock, address: string): Promise<boolean> {
  const ending = new AbortController()
  const asked = fetch(`${address}/health/live`, { signal: ending.signal })
    .then((response) => response.arrayBuffer())
    .then(Boolean, () => false)
  const isInTime = await settlesWithin(clock, asked, ANSWER_MS)
  ending.abort()
  return isInTime && asked
}
