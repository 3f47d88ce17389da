import { join } from 'node:path'
import { type AnyCapability, type Channel, type ChannelContext, capability } from '../../src/capability.ts'
import { builtIn } from '../../src/foreword.ts'
import { type Clock, ForewordError } from '../../src/platform.ts'
import { type HostedRuntime, loadConfiguration, openRuntime } from '../../src/runtime.ts'
import { budgetLedgerFile } from '../../src/session.ts'
import type { Tool } from '../../src/tool.ts'
import type { Random } from './random.ts'
import { closeEverything, type DiskRules, logBounds, realDisk, useVirtualDisk } from './virtual-disk.ts'
import type { VirtualNetwork } from './virtual-network.ts'
import type { VirtualTime } from './virtual-time.ts'

/** What tools and channels did outside the gateway: no crash takes it back. */
export interface Effects {
  /** One for each run of `send_letter`: the turn and the call that asked for it. */
  readonly letters: { readonly owner: number; readonly turn: string; readonly toolCallId: string }[]
  /** Messages that have arrived, in the channel. */
  readonly delivered: { readonly owner: number; readonly turn: string; readonly messageId: string }[]
  /** Turns whose message is known to have arrived: the gateway has acknowledged that it knows. */
  readonly noted: Set<string>
  /** Turns whose message arrived once more after that. */
  readonly again: string[]
}

export interface GatewayParts {
  readonly folder: string
  readonly time: VirtualTime
  readonly random: Random
  readonly network: VirtualNetwork
  readonly effects: Effects
  readonly fault: DiskRules['fault']
  /** ms that one operation of the disk takes. */
  readonly latency: () => number
  readonly warn: (text: string) => void
  /** The store takes nothing more until it is opened again. */
  readonly onDiskFailed: () => void
}

/** `kill`: the process is gone, what it wrote is there. `power`: the newest of what was not synced is gone, too. */
export type CrashKind = 'kill' | 'power'

/** The one gateway of a story. It can be started, closed and crashed any number of times. */
export function createGateway(parts: GatewayParts) {
  const { folder, time, random, network, effects } = parts
  let owner = 0
  let runtime: HostedRuntime | undefined
  let ended = Promise.withResolvers<never>()
  ended.promise.catch(() => {})

  const home = () => join(folder, `home-${owner}`)

  function onDisk(): void {
    const process = owner
    useVirtualDisk({
      later: (work) => void time.at(parts.latency(), process, work),
      soon: (work) => void time.at(0, process, work),
      fault: parts.fault,
    })
    globalThis.fetch = network.fetchOf(process)
  }

  return {
    effects,
    home,
    owner: () => owner,
    runtime(): HostedRuntime {
      if (!runtime) throw new Error('The gateway does not run.')
      return runtime
    },
    isRunning: () => runtime !== undefined,
    /** Creates the home. */
    create(configuration: object, files: Readonly<Record<string, string>>): void {
      owner = 1
      realDisk.mkdirSync(join(home(), 'workspace'), { recursive: true })
      realDisk.writeFileSync(join(home(), 'config.json'), JSON.stringify(configuration))
      for (const [name, text] of Object.entries(files)) realDisk.writeFileSync(join(home(), name), text)
    },
    async start(): Promise<void> {
      ended = Promise.withResolvers<never>()
      ended.promise.catch(() => {})
      const clock = time.clock(owner)
      onDisk()
      const environment = { HOME: folder, SIMULATED_KEY: SECRET }
      const { configuration, problems } = await loadConfiguration({ home: home(), capabilities, environment })
      if (problems.length > 0) throw new Error(JSON.stringify(problems))
      worlds.set(home(), { effects, owner, mark: time.mark })
      const opened = await openRuntime({
        capabilities,
        home: home(),
        configuration,
        environment,
        version: '0',
        clock,
        listens: true,
        channels: [pigeon({ effects, owner, sleep: clock.sleep, mark: time.mark }, random.fork(`channel ${owner}`))],
        warn: parts.warn,
      })
      for (const { name, digest } of await opened.acceptance.waiting()) await opened.acceptance.accept(name, digest)
      runtime = opened
      // As `foreword start` does it: where the disk does not take what is written, the process ends.
      const process = owner
      void opened.store.failed.then(() => process === owner && parts.onDiskFailed())
    },
    /** Settles with what `work` gives, or never goes on where the gateway has crashed before that: `gone`. */
    async ask<Result>(work: (runtime: HostedRuntime) => Promise<Result>): Promise<Result> {
      if (!runtime) throw new GatewayGone()
      return Promise.race([work(runtime), ended.promise])
    },
    async close(): Promise<void> {
      await runtime?.close()
      runtime = undefined
      ended.reject(new GatewayGone())
      stopped()
    },
    /** The process ends at this moment. The next one finds its files as they are. */
    crash(kind: CrashKind): void {
      const before = home()
      time.drop(owner)
      useVirtualDisk(undefined)
      owner += 1
      realDisk.cpSync(before, home(), { recursive: true })
      if (kind === 'power') losePower(before, home(), random)
      stopped(before)
      runtime = undefined
      ended.reject(new GatewayGone())
    },
  }

  function stopped(before?: string): void {
    useVirtualDisk(undefined)
    closeEverything()
    worlds.delete(before ?? home())
    if (before !== undefined) realDisk.rmSync(before, { recursive: true, force: true })
  }
}

export type Gateway = ReturnType<typeof createGateway>

/** The gateway crashed or was closed while somebody waited for an answer. */
export class GatewayGone extends Error {
  override readonly name = 'GatewayGone'
}

/** The key of a provider. It must not appear anywhere. */
export const SECRET = 'sk-simulated-7d1f0c2ba94e4c55'

/** Of each write-ahead log, anything between what was synced and its end is left. Commits of the ledger of budgets wait for the disk. */
function losePower(before: string, after: string, random: Random): void {
  for (const name of realDisk.readdirSync(after, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const path = join(after, name)
    // The memory that processes share is none of the disk's.
    if (name.endsWith('-shm')) realDisk.rmSync(path)
    if (!name.endsWith('-wal') || name.endsWith(`${budgetLedgerFile}-wal`)) continue
    const { least, most } = logBounds(join(before, name))
    realDisk.truncateSync(path, least + random.below(most - least + 1))
  }
}

/** The world of each home: tools are values of the program, and find out by their home whose they are. */
const worlds = new Map<string, { readonly effects: Effects; readonly owner: number; readonly mark: () => void }>()

const post = capability({
  name: 'post',
  start: ({ home }) => home.folder,
  tools: ({ service: home, clock }) => [letterTool(home), noteTool(), slowTool(clock.sleep)],
})

function letterTool(home: string): Tool {
  return {
    name: 'send_letter',
    description: 'Sends a letter.',
    inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
    async execute(_input, { turn, toolCallId, clock }) {
      const { effects, owner, mark } = worlds.get(home)!
      effects.letters.push({ owner, turn, toolCallId })
      mark()
      await clock.sleep(5)
      return { ok: true, output: `The letter of ${toolCallId} is on its way.` }
    },
  }
}

function noteTool(): Tool {
  return {
    name: 'read_barometer',
    description: 'Reads the barometer.',
    inputSchema: { type: 'object' },
    idempotent: true,
    execute: async () => ({ ok: true, output: `1013 hPa. ${'It is steady. '.repeat(40)}` }),
  }
}

function slowTool(sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>): Tool {
  return {
    name: 'wait_for_tide',
    description: 'Waits for the tide.',
    inputSchema: { type: 'object' },
    approval: 'ask',
    async execute(_input, { signal }) {
      await sleep(40_000, signal)
      return signal.aborted ? { ok: false, error: 'Nobody waits any more.' } : { ok: true, output: 'It is high.' }
    },
  }
}

/** A channel that is slow, and fails now and then: before or after a message has arrived. */
function pigeon(
  { effects, owner, sleep, mark }: { effects: Effects; owner: number; sleep: Clock['sleep']; mark: () => void },
  random: Random,
): Channel {
  let context: ChannelContext | undefined
  return {
    name: 'pigeon',
    async start(given) {
      context = given
    },
    async deliver({ session, turn, sent }) {
      await sleep(random.below(200))
      if (random.chance(0.15)) throw new ForewordError('unreachable', 'The pigeon is ill.')
      const messageId = sent[0]?.messageId ?? `feather of ${turn}`
      if (sent.length > 0) return { messageId }
      effects.delivered.push({ owner, turn, messageId })
      mark()
      if (effects.noted.has(turn)) effects.again.push(turn)
      await context!.sent(session, turn, { part: 1, messageId })
      effects.noted.add(turn)
      await sleep(random.below(100))
      if (random.chance(0.1)) throw new ForewordError('unreachable', 'The pigeon did not come back.')
      return { messageId }
    },
  }
}

/** Features that start programs of their own, or need a network of their own, live outside the simulation. */
const OUTSIDE = new Set(['shell', 'web', 'mcp', 'acp', 'telegram', 'wrapped-agents', 'relay', 'web-app', 'telemetry'])

export const capabilities: readonly AnyCapability[] = [...builtIn.filter(({ name }) => !OUTSIDE.has(name)), post]
