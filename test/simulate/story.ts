import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scheduleService } from '../../src/capabilities/schedules/schedules.ts'
import { ForewordError } from '../../src/platform.ts'
import type { HostedRuntime } from '../../src/runtime.ts'
import { createGateway, type Gateway, GatewayGone, SECRET } from './gateway.ts'
import { brokenLaws, type WholeSession, wholeSessions } from './laws.ts'
import { person, type Told } from './people.ts'
import { scriptedBehaviour } from './providers.ts'
import { type Random, randomOf, useChance } from './random.ts'
import { type DiskOperation, type DiskRules, realDisk } from './virtual-disk.ts'
import { virtualNetwork } from './virtual-network.ts'
import { type VirtualTime, virtualTime } from './virtual-time.ts'

/** What a story came to. */
export interface Ending {
  /** SHA-256 of what stands in the log, what left for providers, and what happened outside. Empty where the story broke off. */
  readonly digest: string
  /** What was against the laws, in sentences. Empty: nothing. */
  readonly broken: readonly string[]
  readonly trace: readonly string[]
  readonly counts: { readonly turns: number; readonly calls: number; readonly crashes: number; readonly events: number }
}

/** Where a story happens. */
export interface World {
  readonly random: Random
  readonly time: VirtualTime
  readonly gateway: Gateway
  readonly told: Told
  readonly note: (text: string) => void
  /** The process ends, and the next one starts after a while. */
  crash(kind: 'kill' | 'power'): Promise<void>
}

export interface WorldOptions {
  /** Budgets of the configuration. Drawn unless given. */
  readonly budgets?: readonly object[]
  /** ms that one operation of the disk takes at most. Drawn unless given. */
  readonly slowestDisk?: number
  readonly fault?: DiskRules['fault']
  /** What the provider answers; anything it might, unless given. */
  readonly answer?: Parameters<typeof virtualNetwork>[0]['answer']
  /** What becomes of the configuration that was drawn. */
  readonly configure?: (drawn: object) => object
  /** A law beside the others, about the gateway at the end. */
  readonly look?: (runtime: HostedRuntime, sessions: readonly WholeSession[]) => AsyncIterable<string>
}

/** The longest story, ms of virtual time. */
const LATEST_MS = 60 * 24 * 3_600_000

/**
 * Lives the story of a seed from its beginning to its end, and checks the laws. `calm`: one person, no crash and a disk without
 * delay, so that what is written does not depend on how often the disk is asked.
 */
export function liveStory(seed: number, { calm = false }: { readonly calm?: boolean } = {}): Promise<Ending> {
  const random = randomOf(`${seed}`)
  const fails = !calm && random.chance(0.3)
  const from = random.below(20_000)
  const fault = fails ? diskFault(random.fork('fault'), () => from) : () => () => undefined
  return liveIn(
    random,
    (time) => ({ fault: fault(time), ...(calm && { slowestDisk: 0 }) }),
    async (world) => {
      const { time, gateway, told, note } = world
      // Most stories are short: what goes wrong does so in few steps, and many seeds say more than long ones.
      const names = ['Ann', 'Bob', 'Cem'].slice(0, calm ? 1 : random.pick([1, 1, 1, 2, 2, 3]))
      const people = names.map((name) =>
        person(
          { gateway, time, random: random.fork(name), told, name, sessions: [], trace: note, patient: calm },
          2 + random.below(5),
        ),
      )
      let isOver = false
      const over = Promise.all(people).finally(() => (isOver = true))
      for (let left = calm ? 0 : random.pick([0, 1, 1, 1, 2]); left > 0; left -= 1) {
        // Behind what cannot be taken back a crash does the most harm.
        await Promise.race([
          over,
          random.pick([
            () => time.sleep(random.below(60_000)),
            () => time.afterEvents(random.below(500)),
            () => time.afterEvents(random.below(4), 1 + random.below(8)),
            () => time.afterEvents(random.below(4), 1 + random.below(8)),
          ])(),
        ])
        if (!isOver && gateway.isRunning()) await world.crash(random.pick(['kill', 'power']))
      }
      await over
    },
  )
}

/** A disk that fails for some seconds: everything that is written, or now and then anything. */
function diskFault(random: Random, from: () => number): (time: VirtualTime) => DiskRules['fault'] {
  const code = random.pick(['EIO', 'ENOSPC'] as const)
  const share = random.pick([0.1, 1])
  const length = random.below(40_000)
  const writes = new Set<DiskOperation>([
    'write',
    'commit',
    'rename',
    ...(random.chance(0.3) ? (['sync'] as const) : []),
  ])
  return (time) => (operation) => {
    const passed = time.passed() - from()
    if (passed < 0 || passed > length || !writes.has(operation) || !random.chance(share)) return undefined
    return diskError(code, operation)
  }
}

/** An error as Node or SQLite gives it. */
export function diskError(code: 'EIO' | 'ENOSPC', operation: DiskOperation): Error {
  const text = code === 'EIO' ? 'i/o error' : 'no space left on device'
  if (operation !== 'commit')
    return Object.assign(new Error(`${code}: ${text}, ${operation}`), { code, syscall: operation })
  // SQLITE_IOERR_WRITE and SQLITE_FULL.
  const message = code === 'EIO' ? 'disk I/O error' : 'database or disk is full'
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode: code === 'EIO' ? 778 : 13 })
}

/** Lets something happen in a world of its own, until nothing more is to come, and checks the laws. */
export async function liveIn(
  random: Random,
  options: (time: VirtualTime) => WorldOptions,
  happen: (world: World) => Promise<void>,
): Promise<Ending> {
  const time = virtualTime('2026-01-05T12:00:00.000Z')
  const {
    budgets,
    slowestDisk = random.chance(0.2) ? 300 : 3,
    fault,
    answer,
    configure = (drawn) => drawn,
    look,
  } = options(time)
  const network = virtualNetwork({
    time,
    random: random.fork('network'),
    answer: answer ?? scriptedBehaviour(random.fork('provider')),
  })
  const folder = realDisk.mkdtempSync(join(realDisk.existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'simulated-'))
  const trace: string[] = []
  /** Where the home is has a name by chance, and is no part of the story. */
  const note = (text: string) =>
    void trace.push(`${(time.passed() / 1_000).toFixed(3)} s  ${text.replaceAll(folder, '')}`)
  const told: Told = {
    accepted: [],
    deleted: new Set(),
    changed: new Set(),
    allowed: false,
    before: new Map(),
    faults: [],
  }
  const disk = random.fork('disk')
  const written: string[] = []
  let crashes = 0
  let isOver = false
  let newestLoss = ''
  let restarting: Promise<void> | undefined
  let failsAtStart = false
  useChance(random.fork('chance'))
  const gateway = createGateway({
    folder,
    time,
    random,
    network,
    effects: { letters: [], delivered: [], noted: new Set(), again: [] },
    fault(operation, path) {
      const error = isOver ? undefined : fault?.(operation, path)
      if (error === undefined) return undefined
      newestLoss = new Date(time.now()).toISOString()
      note(`the disk fails: ${operation} ${path}`)
      return error
    },
    latency: () => disk.below(slowestDisk),
    warn: (text) => note(`warning: ${text}`),
    onDiskFailed() {
      note('the disk did not take what was written')
      if (restarting) failsAtStart = true
      else restarting = crash('kill')
    },
  })

  async function crash(kind: 'kill' | 'power'): Promise<void> {
    crashes += 1
    gateway.crash(kind)
    newestLoss = new Date(time.now()).toISOString()
    note(`crash: ${kind}`)
    await start(random.below(60_000))
  }

  /** Somebody starts the gateway again, as often as it takes, after longer and longer waits: a disk fails for a while. */
  async function start(delay: number): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      await time.sleep(tries === 1 ? delay : Math.max(delay, 1_000) * tries)
      try {
        await gateway.start()
        restarting = undefined
        note('the gateway runs')
        if (failsAtStart) restarting = crash('kill')
        failsAtStart = false
        return
      } catch (error) {
        note(`the gateway does not start: ${String(error)}`)
        if (!isClear(error) || tries > 100) throw error
        newestLoss = new Date(time.now()).toISOString()
        gateway.crash('kill')
      }
    }
  }

  /** The disk may fail at the very end, too: then it is tried again. */
  async function settled(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      await restarting
      try {
        return await settle(gateway, time, told)
      } catch (error) {
        if (!(error instanceof GatewayGone) && (!isClear(error) || tries > 20)) throw error
        await time.sleep(60_000)
      }
    }
  }

  async function live(): Promise<readonly string[]> {
    gateway.create(configure(configuration(random, budgets)), HOME_FILES)
    await start(0)
    await happen({ random, time, gateway, told, note, crash })
    await settled()
    isOver = true
    const sessions = await gateway.ask(wholeSessions)
    written.push(...sessions.map(writtenOf))
    const { effects } = gateway
    const looksAtRows = random.chance(0.2)
    const broken = await gateway.ask((runtime) =>
      brokenLaws({ runtime, told, effects, received: network.received, newestLoss, looksAtRows }, sessions),
    )
    const differing = look ? await gateway.ask((runtime) => Array.fromAsync(look(runtime, sessions))) : []
    const home = gateway.home()
    await gateway.close()
    return [...broken, ...differing, ...filesWith(SECRET, home).map((file) => `noSecretIsWritten: ${file}`)]
  }

  const broken: string[] = []
  const unhandled = (reason: unknown) => void broken.push(`Nothing handles a rejection: ${textOf(reason)}`)
  process.on('unhandledRejection', unhandled)
  let digest = ''
  try {
    broken.push(...(await time.run(live(), LATEST_MS)), ...told.faults)
    const { letters, delivered } = gateway.effects
    digest = createHash('sha256')
      .update(JSON.stringify([letters, delivered, written]).replaceAll(folder, ''))
      .digest('hex')
  } catch (error) {
    broken.push(textOf(error))
  } finally {
    process.off('unhandledRejection', unhandled)
    if (gateway.isRunning()) gateway.crash('kill')
    useChance(undefined)
    realDisk.rmSync(folder, { recursive: true, force: true })
  }
  return {
    digest,
    broken,
    trace,
    counts: { turns: told.accepted.length, calls: network.received.length, crashes, events: time.happened() },
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** Whether an error says what is wrong to somebody who starts a gateway. */
function isClear(error: unknown): boolean {
  return (
    error instanceof ForewordError ||
    (error instanceof Error && /disk|no room|no space|i\/o error/i.test(error.message))
  )
}

/** Answers every question until no turn is left, and every reply has arrived. */
async function settle(gateway: Gateway, time: VirtualTime, told: Told): Promise<void> {
  await gateway.ask(async (runtime) => {
    const schedules = runtime.capability(scheduleService)!
    for (const { id } of await schedules.list()) await schedules.remove(id)
  })
  for (let quiet = 0, tries = 0; quiet < 3; tries += 1) {
    await gateway.ask((runtime) => runtime.idle())
    const unfinished = await gateway.ask((runtime) => runtime.store.unfinishedTurns())
    quiet = unfinished.length === 0 ? quiet + 1 : 0
    if (tries > 2_000) throw new Error(`${unfinished.map(({ turn }) => turn).join(' ')} never end.`)
    for (const { approval, digest, held } of await gateway.ask((runtime) => runtime.approvals())) {
      if (held) told.allowed = true
      const decision = { type: 'approve', scope: 'once' } as const
      await gateway.ask((runtime) => runtime.decide(approval, { decision, digest, by: 'owner' }))
    }
    await time.sleep(60_000)
  }
}

/** What of a session must not change when only the way of making it does. */
function writtenOf({ entries, calls }: WholeSession): string {
  return JSON.stringify([
    entries,
    calls.map(({ id, time, model, requestDigest, outcome }) => [
      id,
      time,
      model,
      requestDigest,
      outcome?.wire,
      outcome?.usage,
    ]),
  ])
}

/** The files below a folder that contain a text. */
function filesWith(text: string, folder: string): readonly string[] {
  return realDisk
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && realDisk.readFileSync(join(file.parentPath, file.name)).includes(text))
    .map(({ name }) => name)
}

const HOME_FILES = {
  'tool-access.json': '{"global": {"mode": "full"}, "tools": {"*": {"afterUntrusted": "allow"}}}',
  'workspace/harbour.md': '# Harbour\n\nThe buoy is red.\n',
}

function configuration(random: Random, budgets?: readonly object[]): object {
  const price = { input: 10, output: 30 }
  const drawn = random.pick([[], [{ limit: { usd: 0.4 }, per: 'day' }], [{ limit: { tokens: 60_000 }, per: 'day' }]])
  return {
    model: 'main/scripted',
    providers: {
      main: { kind: 'openai-compatible', baseURL: 'http://main.test/v1', apiKeyEnv: 'SIMULATED_KEY' },
      other: { kind: 'anthropic', baseURL: 'http://other.test', apiKeyEnv: 'SIMULATED_KEY' },
      third: { kind: 'ollama', baseURL: 'http://third.test' },
    },
    models: {
      'main/scripted': {
        window: random.pick([4_096, 16_384]),
        price,
        ...(random.fork('fallback').chance(0.3) && { fallback: ['other/scripted', 'third/scripted'] }),
      },
      'other/scripted': { window: 8_192, price },
    },
    budgets: budgets ?? drawn,
    context: { timeZone: 'Europe/Berlin', notes: random.pick(['index', 'model']) },
  }
}
