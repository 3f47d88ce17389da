import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext } from 'node:test'
import { tokenx } from '../../src/context.ts'
import type { Model, Models } from '../../src/model.ts'
import type { AnyCapability, Plugin, SubmitInput } from '../../src/capability.ts'
import { pluginAsCapability } from '../../src/capability/toolkit.ts'
import { prompt } from '../../src/capabilities/prompt/prompt.ts'
import { datePlugin } from './date-plugin.ts'
import type { MemorySettings } from '../../src/capabilities/memory/core/memory-layers.ts'
import { type Channel, createRuntime, type SessionEvent, type TurnView, readTurnView } from '../../src/runtime.ts'
import type { RuntimeParts } from '../../src/runtime/runtime-parts.ts'
import type { RuntimeSettings } from '../../src/runtime/settings.ts'
import type { ToolPolicy } from '../../src/runtime/tools/tool-policy.ts'
import { type Clock, defined, systemClock } from '../../src/platform.ts'
import { ownFeatures, ownSettings, type Runtime, withFeatures } from '../home/features.ts'
import { type Entry, type EntryBody, openStore, type SessionStore } from '../../src/session.ts'
import { type FixedClock, fixedClock, scriptedModel, scriptedModels } from '../../src/testing.ts'
import { type AccessRead, type DirectTool, readAccess, type Tool, type ToolProperties } from '../../src/tool.ts'

/** What a test may decide about a runtime; everything else is small and quiet. */
export interface Setting {
  readonly model?: Model
  /** Instead of `model`. */
  readonly models?: Models
  readonly tools?: readonly Tool[]
  readonly channels?: readonly Channel[]
  readonly plugins?: readonly Plugin[]
  /** Besides what every runtime of these tests has. */
  readonly capabilities?: readonly AnyCapability[]
  readonly settings?: Partial<RuntimeSettings & { memory: MemorySettings; subject: string }>
  /** What may run; everything unless said. */
  readonly access?: () => AccessRead
  /** Instead of `access`. */
  readonly policy?: ToolPolicy
  /** Instead of waiting, before a model call is made again. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** What sets the timers of its clock; the clock of the system unless given. */
  readonly timers?: Pick<Clock, 'timer'>
  readonly timeZone?: string
  readonly budgets?: RuntimeParts['budgets']
  readonly readBudgets?: RuntimeParts['readBudgets']
  /** ISO 8601. Default: noon of a Monday. */
  readonly start?: string
  /** Of its capabilities, by name. */
  readonly capabilitySettings?: Readonly<Record<string, unknown>>
  /** Whether what is due happens. `false` unless given. */
  readonly listens?: boolean
  readonly environment?: RuntimeParts['environment']
  readonly secrets?: RuntimeParts['secrets']
  /** Stands between the runtime and its store. */
  readonly around?: (store: SessionStore) => SessionStore
}

/** A runtime on a home of its own, and the few questions that tests ask. */
export interface Opened {
  readonly runtime: Runtime
  readonly store: SessionStore
  readonly home: string
  readonly clock: FixedClock
  /** What the operator was told. */
  readonly warnings: readonly string[]
  /** Submits and waits for the end of the turn. */
  say(text: string, options?: Omit<SubmitInput, 'text'>): Promise<TurnView>
  /** Waits for the end of a turn that was submitted. */
  ended(submitted: { readonly session: string; readonly turn: string }): Promise<TurnView>
  log(session: string): Promise<readonly Entry[]>
  /** Closes, and opens the same home again. What is not given stays as it was. */
  reopened(changes?: Setting): Promise<Opened>
}

/** Cleans up behind itself. */
export async function opened(t: TestContext, setting: Setting = {}): Promise<Opened> {
  const home = await mkdtemp(join(tmpdir(), 'foreword-runtime-'))
  const runtimes: Runtime[] = []
  t.after(async () => {
    await Promise.all(runtimes.map((runtime) => runtime.close()))
    await rm(home, { recursive: true, force: true })
  })
  return openedAt(runtimes, home, setting, 0)
}

async function openedAt(runtimes: Runtime[], home: string, setting: Setting, restarts: number): Promise<Opened> {
  const { model = scriptedModel(), around = (store: SessionStore) => store } = setting
  const store = around(await openStore({ clock: systemClock, path: join(home, 'store.sqlite') }))
  const { start, listens, timers = systemClock } = setting
  const clock = fixedClock({ timers, prefix: restarts === 0 ? '' : `${restarts}r`, ...defined({ start }) })
  const warnings: string[] = []
  const { memory, subject, ...settings } = setting.settings ?? {}
  const bare = await createRuntime({
    version: '0.1.0',
    home,
    store,
    models: setting.models ?? scriptedModels(model),
    capabilities: [
      ...asCapabilities(setting.plugins ?? homelyPlugins()),
      ...(setting.capabilities ?? []),
      ...ownFeatures,
    ],
    capabilitySettings: { ...ownSettings(home, { memory, subject }), ...setting.capabilitySettings },
    settings: { layout: 'auto', counter: tokenx, maxSteps: 12, retryDelaysMs: [1, 1], ...settings },
    clock: setting.sleep ? { ...clock, sleep: setting.sleep } : clock,
    policy: setting.policy ?? { current: async () => setting.access?.() ?? everything },
    warn: (text) => warnings.push(text),
    ...(setting.timeZone === undefined ? {} : { timeZone: setting.timeZone }),
    ...(setting.budgets ? { budgets: setting.budgets } : {}),
    ...defined({
      listens,
      readBudgets: setting.readBudgets,
      environment: setting.environment,
      secrets: setting.secrets,
    }),
    ...(setting.tools ? { tools: setting.tools } : {}),
    ...(setting.channels ? { channels: setting.channels } : {}),
  })
  const runtime = withFeatures(bare)
  runtimes.push(runtime)

  const ended = async ({ session, turn }: { session: string; turn: string }) => {
    await collected(runtime.events(session, { turn }))
    return readTurnView(runtime.store, session, turn)
  }
  return {
    runtime,
    store,
    home,
    clock,
    warnings,
    ended,
    say: async (text, options) => ended(await runtime.submit({ text, ...options })),
    log: (session) => store.entries(session),
    async reopened(changes = {}) {
      await runtime.close()
      return openedAt(runtimes, home, { ...setting, ...changes }, restarts + 1)
    },
  }
}

/** A policy that allows every tool and asks where a tool asks, but not after texts of others: `test/taint.test.ts` has those. */
const everything = readAccess('{"global": {"mode": "full"}, "tools": {"*": {"afterUntrusted": "allow"}}}', {})

/** Plugins as capabilities; the prompt can be edited, and those of features that every runtime has are left to these. */
function asCapabilities(plugins: readonly Plugin[]): readonly AnyCapability[] {
  const own = ['prompt', 'memory', 'subjects']
  return [
    ...(plugins.some(({ name }) => name === 'prompt') ? [prompt] : []),
    ...plugins.filter(({ name }) => !own.includes(name)).map(pluginAsCapability),
  ]
}

/** The packaged prompt and the date: what every home has. */
export function homelyPlugins(): readonly Plugin[] {
  return [{ name: 'prompt', version: '1' }, datePlugin({ timeZone: 'Europe/Berlin' })]
}

/** Every event of a stream that ends. */
export async function collected(stream: AsyncIterable<SessionEvent>): Promise<readonly SessionEvent[]> {
  return Array.fromAsync(stream)
}

/** Reads until the last entry of a session that has come to rest. */
export async function upTo(runtime: Runtime, session: string, last: number, after?: string) {
  const stop = new AbortController()
  const events: SessionEvent[] = []
  const options = { signal: stop.signal, ...(after === undefined ? {} : { after }) }
  for await (const event of runtime.events(session, options)) {
    events.push(event)
    if (event.type === 'entry' && event.entry.seq >= last) stop.abort()
  }
  return events
}

/** A tool that answers what `execute` gives. */
export function tool(name: string, execute: DirectTool['execute'], rest: Partial<ToolProperties> = {}): Tool {
  return { name, description: `${name}.`, inputSchema: { type: 'object' }, execute, ...rest }
}

/** Opens once; whoever waits goes through. */
export interface Gate {
  readonly passed: Promise<void>
  open(): void
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { passed: promise, open: () => resolve() }
}

/** The same store, with `around` wherever entries are written: alone, or in a transaction. */
export function aroundEntries(
  store: SessionStore,
  around: (
    { session, bodies }: { readonly session: string; readonly bodies: readonly EntryBody[] },
    write: () => Promise<readonly Entry[]>,
  ) => Promise<readonly Entry[]>,
): SessionStore {
  return {
    ...store,
    append: (session, bodies, time) => around({ session, bodies }, () => store.append(session, bodies, time)),
    transaction(writes) {
      const entries = writes.find(({ type }) => type === 'append')
      const write = () => store.transaction(writes)
      return entries?.type === 'append' ? around(entries, write) : write()
    },
  }
}
