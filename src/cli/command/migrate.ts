import { countedText } from '../../context.ts'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Command, CommandCall, Io } from '../../capability.ts'
import { addressPasswords, errorMessage, quoteForShell, systemClock } from '../../platform.ts'
import type { CopiedTable, SessionStore } from '../../session.ts'
import { jsonOption } from '../arguments.ts'
import { CommandFailure, refuseTools, usageFailure } from '../failure.ts'
import { runStoppable } from '../interrupt.ts'
import { note, print, printJson, programCapabilities } from '../io.ts'
import { findHomeStore, withClaim } from '../open-store.ts'
import { statusLine } from '../status-line.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  group: 'keep',
  summary: 'copy the store of the home into a PostgreSQL database, or back into a file',
  usage: [
    'migrate --to ADDRESS [--schema NAME] [--write] [--all] [--json]',
    'migrate --to sqlite [--write] [--all] [--json]',
  ],
  details:
    'Copies every row, compares both stores, verifies the audit of the copy and rebuilds the calls of the newest sessions in both. Nothing is kept unless ' +
    'all is the same, and Ctrl-C leaves nothing behind. The former store stays as it is. No gateway may run on either, and the new one has to be ' +
    'empty. ADDRESS is postgres://USER@HOST/DATABASE or `{"address": …}` as `store` of config.json has it; FOREWORD_STORE_PASSWORD holds the password.',
  words: { least: 0, most: 0 },
  options: {
    to: { value: 'ADDRESS', summary: 'the database, or `sqlite` for the file of the home' },
    schema: { value: 'NAME', summary: 'schema of the database; foreword unless given' },
    write: { summary: 'set `store` in config.json, so that the next start uses the new store' },
    all: { summary: 'rebuild the calls of every session, not of the newest 20 alone' },
    json: jsonOption,
  },
  run: migrate,
}

/** What was found out about the copy: records of its audit, and what was rebuilt alike. */
interface Checks {
  readonly audit: number
  /** What is wrong with the audit, and was before. */
  readonly fault?: string
  readonly calls: number
  readonly sessions: number
}

async function migrate(call: CommandCall, io: Io): Promise<number> {
  refuseTools(io, 'move the store of the home')
  const store = storeSetting(call)
  const homes = await homesOf(call, io, store)
  const { from, to } = homes[0]!
  if (isDeepStrictEqual([from.path, from.schema], [to.path, to.schema]))
    throw new CommandFailure('conflict', `The store of the home is ${to.name} already.`)
  const line = statusLine(io)
  const copied: { readonly person?: string; readonly checks: Checks; readonly tables: readonly CopiedTable[] }[] = []
  await runStoppable(io, async (signal) => {
    for (const each of homes) copied.push({ ...each, ...(await copyHome(each, call, io, { signal, line })) })
  })
    .catch((error: unknown) => {
      const whole = copied.map(({ person }) => (person === undefined ? to.name : `the store of ${person}`))
      if (whole.length > 0)
        note(io, `Copied whole before that, to be removed before the next try: ${whole.join(', ')}.`)
      throw error
    })
    .finally(line.clear)
  if (call.has('write')) await writeSetting(call, io, store, to)
  const [{ tables, checks }, ...people] = copied as [(typeof copied)[number], ...typeof copied]
  if (call.json)
    return printJson(io, {
      from: from.name,
      to: to.name,
      rows: rowsIn(tables),
      tables,
      ...checks,
      people: people.map(({ person, ...each }) => ({ person, rows: rowsIn(each.tables), ...each.checks })),
      store: store ?? null,
      isWritten: call.has('write'),
    })
  print(io, `Copied ${countedText(rowsIn(tables), 'row')} to ${to.name}: ${tableText(tables)}.`)
  for (const { person, tables: own } of people)
    print(io, `Of ${person}: ${countedText(rowsIn(own), 'row')}, ${tableText(own)}.`)
  const audit = checks.fault === undefined ? `The audit is whole (${countedText(checks.audit, 'record')}).` : ''
  const rebuilt = (['call', 'session'] as const).map((one) =>
    countedText(
      copied.reduce((sum, { checks: own }) => sum + own[`${one}s`], 0),
      one,
    ),
  )
  print(io, `Every row is the same. ${audit} Rebuilt alike: ${rebuilt.join(' of ')}.`.replace('  ', ' '))
  for (const { person, checks: own } of copied) {
    if (own.fault === undefined) continue
    note(io, `The audit${person === undefined ? '' : ` of ${person}`} was and is ${own.fault}.`, 'yellow')
  }
  print(io, `${from.name} is as it was.`)
  noteNext(call, io, store)
  return 0
}

type StorePlace = Awaited<ReturnType<typeof storePlace>>

interface MovedHome {
  readonly home: string
  /** Whose it is; absent: the owner's. */
  readonly person?: string
  readonly from: StorePlace
  readonly to: StorePlace
}

/** The home and those of its people that have a store, with where that is and where it goes. */
async function homesOf(call: CommandCall, io: Io, store: StoreSetting | undefined): Promise<readonly MovedHome[]> {
  const { loadConfiguration, personHome, personStore } = await import('../../runtime.ts')
  const { examineDatabase } = await import('../../session.ts')
  const { home } = call
  const { configuration } = await loadConfiguration({ home, environment: io.environment, capabilities: [] })
  const own = { home, from: await storePlace(home, io), to: await storePlace(home, io, store) }
  const people = (await peopleOf(own)).map(async (person) => {
    const folder = personHome(home, person)
    const placeOf = (setting: StoreSetting | undefined) =>
      storePlace(folder, io, setting && personStore(setting as Parameters<typeof personStore>[0], person))
    return { home: folder, person, from: await placeOf(configuration.store), to: await placeOf(store) }
  })
  const hasStore = async ({ from }: MovedHome) =>
    from.schema === undefined
      ? existsSync(from.path)
      : (await examineDatabase({ ...from, address: from.path }, systemClock)).hasStore
  const moved = await Promise.all(people)
  const kept = await Promise.all(moved.map(hasStore))
  return [own, ...moved.filter((_, index) => kept[index])]
}

/** The people with a folder here, or all that a database lists: some were never at this machine, and have a folder from now on. */
async function peopleOf({ home, from }: Pick<MovedHome, 'home' | 'from'>): Promise<readonly string[]> {
  const { makeFolder, openPeople, peopleHomesIn } = await import('../../runtime.ts')
  const { isPostgresAddress, openStore } = await import('../../session.ts')
  if (!isPostgresAddress(from.path)) return (await peopleHomesIn(home)).map((folder) => basename(folder))
  const store = await openStore({ ...from, clock: systemClock, readOnly: true })
  try {
    const people = openPeople({ home, store, clock: systemClock })
    await people.ready
    const listed = people.list().map(({ name }) => name)
    for (const name of listed) await makeFolder(home, name, store)
    return listed
  } finally {
    await store.close()
  }
}

async function copyHome(
  moved: MovedHome,
  call: CommandCall,
  io: Io,
  { signal, line }: { readonly signal: AbortSignal; readonly line: ReturnType<typeof statusLine> },
) {
  const { home, from, to } = moved
  const checks: Checks = { audit: 0, calls: 0, sessions: 0 }
  const { copyStore, StoreError } = await import('../../session.ts')
  const copy = () =>
    copyStore(from, to, {
      clock: systemClock,
      signal,
      onProgress: ({ stage, done, all }) => line.show(`${stage}: ${done} of ${all} rows`),
      async check(stores) {
        await takeFiles(moved, stores.from)
        line.show('verifying the audit')
        Object.assign(checks, await verifyCopy(home, io, stores))
        Object.assign(checks, await replayBoth(stores, { isWhole: call.has('all'), signal, show: line.show }))
      },
    }).catch((error: unknown) => {
      // Not the home itself is in use, but a database.
      if (!(error instanceof StoreError) || error.code !== 'claimed') throw error
      throw new CommandFailure('home-busy', error.message, { hint: error.hint, cause: error })
    })
  const tables = await withClaim(home, io, async () => {
    const copied = await copy()
    await copyMoney(moved)
    return copied
  })
  return { checks, tables }
}

/** What was spent of budgets goes where the store goes: no limit is a new one there. */
async function copyMoney({ home, from, to }: MovedHome): Promise<void> {
  const { budgetLedgerFile, copyBudgets, isPostgresAddress } = await import('../../session.ts')
  const { homeAt } = await import('../../runtime.ts')
  const file = join(homeAt(home).data, budgetLedgerFile)
  const [source, target] = [from, to].map((place) =>
    isPostgresAddress(place.path) ? { ...place, address: place.path } : { file },
  ) as [Parameters<typeof copyBudgets>[0], Parameters<typeof copyBudgets>[1]]
  await copyBudgets(source, target)
}

/** Brings what the database has of files to this machine. Those of this machine come into a database with its next start. */
async function takeFiles(
  { home, from }: MovedHome,
  store: Pick<SessionStore, 'files' | 'value' | 'transaction'>,
): Promise<void> {
  const { isPostgresAddress, openBlobs, openStoredBytes } = await import('../../session.ts')
  if (!isPostgresAddress(from.path)) return
  const { homeAt, openHomeFiles } = await import('../../runtime.ts')
  await openHomeFiles({
    home,
    store,
    clock: systemClock,
    folders: [],
    warn() {},
    onlyBrings: true,
  })
  const bytes = await openStoredBytes({ ...from, address: from.path }, systemClock)
  try {
    const blobs = openBlobs(join(homeAt(home).data, 'files'), bytes)
    for (const { hash } of await store.files()) await blobs.local(hash)
  } finally {
    await bytes.close()
  }
}

const rowsIn = (tables: readonly CopiedTable[]): number => tables.reduce((sum, { rows }) => sum + rows, 0)

type StoreSetting = string | Readonly<Record<string, unknown>>

/** What `store` of config.json has to be; `undefined` for the file of the home. */
function storeSetting(call: CommandCall): StoreSetting | undefined {
  const [to, schema] = [call.text('to'), call.text('schema')]
  if (to === undefined) throw usageFailure('Name the new store: --to postgres://USER@HOST/DATABASE, or --to sqlite.')
  if (to === 'sqlite') {
    if (schema !== undefined) throw usageFailure('--schema needs a database.')
    return undefined
  }
  const given = to.startsWith('{') ? readObject(to) : to
  const address = typeof given === 'string' ? given : given['address']
  if (typeof address === 'string' && addressPasswords(address).length > 0) {
    throw new CommandFailure('usage', 'The address holds a password, which others can see in the list of processes.', {
      hint: 'Leave it out, and set FOREWORD_STORE_PASSWORD.',
      exitCode: 2,
    })
  }
  if (schema === undefined) return given
  return typeof given === 'string' ? { address, schema } : { ...given, schema }
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch (error) {
    throw usageFailure(`--to is not JSON: ${errorMessage(error)}`)
  }
}

/** Where a store is: that of the home, or the one of a setting. `name` is how people read it. @throws ConfigurationError */
async function storePlace(home: string, io: Io, ...settings: readonly [] | readonly [StoreSetting | undefined]) {
  const { homeAt, homeStorePlace } = await import('../../runtime.ts')
  const { databaseName, storePath } = await import('../../session.ts')
  if (settings.length === 0) {
    const { path, database } = await findHomeStore(home, io)
    return { ...(database ?? { path }), path: database?.address ?? path, name: path }
  }
  const [setting] = settings
  if (setting === undefined) {
    const path = storePath(homeAt(home).data)
    return { path, name: path, schema: undefined }
  }
  // Read as the variable is, so that what is wrong is reported as there.
  const written = typeof setting === 'string' ? setting : JSON.stringify(setting)
  const place = await homeStorePlace({ home, environment: { ...io.environment, FOREWORD_STORE: written } })
  return { ...place, name: databaseName({ ...place, address: place.path }) }
}

interface Stores {
  readonly from: SessionStore
  readonly to: SessionStore
}

/** Verifies the audit of the copy with all that the home knows of it. `fault`: it was broken before, and is broken in the same way. */
async function verifyCopy(home: string, io: Io, { from, to }: Stores) {
  const { verifyHomeAudit } = await import('../../runtime.ts')
  const options = { home, environment: io.environment, capabilities: await programCapabilities(io) }
  const report = await verifyHomeAudit({ ...options, store: to })
  if (report.type === 'whole') return { audit: report.records }
  const fault = `broken at record ${report.number}: ${report.why}`
  if (isDeepStrictEqual(await verifyHomeAudit({ ...options, store: from }), report)) return { audit: 0, fault }
  throw new CommandFailure('storage', `The audit of the copy is ${fault}. Nothing was kept.`)
}

/** The newest sessions, whose calls are rebuilt. */
const SAMPLE = 20

interface ReplayOptions {
  readonly isWhole: boolean
  readonly signal: AbortSignal
  readonly show: (text: string) => void
}

/** Rebuilds calls in both stores. A call that the former one cannot rebuild either is the same. */
async function replayBoth({ from, to }: Stores, { isWhole, signal, show }: ReplayOptions) {
  const { replayStored } = await import('../../runtime.ts')
  const sessions = await from.sessions(isWhole ? {} : { limit: SAMPLE })
  let calls = 0
  for (const [at, { id }] of sessions.entries()) {
    signal.throwIfAborted()
    show(`rebuilding calls: session ${at + 1} of ${sessions.length}`)
    const [before, now] = [await replayStored(from, id), await replayStored(to, id)]
    if (!isDeepStrictEqual(before, now))
      throw new CommandFailure('storage', `Calls of session ${id} are rebuilt in another way. Nothing was kept.`)
    calls += now.calls
  }
  return { calls, sessions: sessions.length }
}

/** Sets `store` in config.json, recorded in the audit of the new store. */
async function writeSetting(
  call: CommandCall,
  io: Io,
  store: StoreSetting | undefined,
  to: { readonly path: string },
): Promise<void> {
  const { loadConfiguration, noteDatabase, setValue } = await import('../../runtime.ts')
  const { openStore } = await import('../../session.ts')
  const { home } = call
  const { schema } = await loadConfiguration({
    home,
    environment: io.environment,
    capabilities: await programCapabilities(io),
  })
  const kept = await openStore({ ...to, clock: systemClock, beside: true })
  try {
    await setValue({
      home,
      clock: systemClock,
      schema,
      key: 'store',
      value: store,
      async check() {
        const facts = {
          kind: 'change',
          rule: 'config.json',
          by: 'cli',
          reason: 'store set with foreword migrate',
        } as const
        await kept.transaction([{ type: 'audit', facts, time: systemClock.time() }])
      },
    })
  } finally {
    await kept.close()
  }
  if (store === undefined) await noteDatabase(home, undefined)
}

function tableText(tables: readonly CopiedTable[]): string {
  const shown = [
    ['sessions', 'session'],
    ['entries', 'entry', 'entries'],
    ['calls', 'call'],
    ['contents', 'content'],
    ['audit', 'record of the audit', 'records of the audit'],
    ['files', 'file'],
  ] as const
  return shown
    .map(([table, one, many]) => countedText(tables.find((each) => each.table === table)!.rows, one, many))
    .join(', ')
}

function noteNext(call: CommandCall, io: Io, store: StoreSetting | undefined): void {
  if (call.has('write'))
    note(io, `${store === undefined ? 'Removed' : 'Set'} \`store\` in config.json. It takes effect at the next start.`)
  else if (store === undefined) note(io, 'Use it from the next start on: `foreword config unset store`.')
  else note(io, `Use it from the next start on: \`foreword config set store ${quoteForShell(JSON.stringify(store))}\`.`)
  if (io.environment['FOREWORD_STORE'])
    note(io, 'The environment variable FOREWORD_STORE is set and overrides the file.', 'yellow')
}
