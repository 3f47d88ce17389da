import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import {
  type AnyCapability,
  type RunningCapabilities,
  type Runtime,
  type CapabilityBase,
  RuntimeError,
} from '../capability.ts'
import { startCapabilities } from '../capability/toolkit.ts'
import { systemClock } from '../platform.ts'
import { openStore } from '../session.ts'
import { type Tool, readAccess } from '../tool.ts'
import type { TestFunction } from './test-function.ts'
import { layoutOf, tokenx, usualLayout } from '../context.ts'
import { createRecords } from '../runtime.ts'
import { fixedClock } from './fixed-clock.ts'

export interface CapabilityCasesOptions {
  /** Its section of the configuration. Left out unless given. */
  readonly settings?: unknown
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Capabilities that start before it, such as those whose services it asks for. */
  readonly others?: readonly AnyCapability[]
}

/**
 * The contract of `Capability`, as tests over one value: names, settings, commands, tools and routes, and two starts and
 * stops in one home that leave nothing running. An author runs them beside tests of their own:
 *
 * ```ts
 * import { test } from 'node:test'
 * import { capabilityCases } from 'foreword/testing'
 * import { tides } from './tides.ts'
 *
 * capabilityCases(test, tides, { settings: { harbour: 'Cuxhaven' } })
 * ```
 */
export function capabilityCases(test: TestFunction, value: AnyCapability, options: CapabilityCasesOptions = {}): void {
  const capabilityCase = (what: string, run: () => void | Promise<void>) => {
    test(`${value.name}: ${what}`, async () => run())
  }

  capabilityCase('its names are valid and unique', () => checkNames(value))
  capabilityCase('its settings have defaults, and a JSON Schema that describes every key', () => {
    checkSettings(value, options.settings)
  })
  capabilityCase('its commands have help, and the names under which they are listed', () => checkCommands(value))
  capabilityCase('its tools have names, descriptions and schemas, and do not change between calls', () =>
    withHome(async (start) => {
      const running = await start(value, options)
      checkTools(running.tools().filter(({ name }) => running.ownerOf(name) === value.name))
      checkTools(running.turnTools())
      assert.deepEqual(toolNames(running), toolNames(running), 'the order of tools')
      await running.stop()
    }),
  )
  capabilityCase('its routes have paths of their own, summaries and answers', () =>
    withHome(async (start) => {
      const running = await start(value, options)
      await checkRoutes(value, running)
      await running.stop()
    }),
  )
  capabilityCase('it starts and stops twice in one home, and leaves nothing running', () =>
    withHome(async (start) => {
      const before = activeResources()
      for (let round = 0; round < 2; round += 1) {
        const running = await start(value, options)
        await running.ready()
        await running.stop()
        await running.stop()
      }
      const leaks = () => {
        const left = [...activeResources()]
        for (const type of before) if (left.includes(type)) left.splice(left.indexOf(type), 1)
        return left
      }
      for (const ends = performance.now() + CLOSING_MS; leaks().length > 0 && performance.now() < ends;)
        await systemClock.sleep(20)
      assert.deepEqual(leaks(), [], 'what still runs after stop')
    }),
  )
}

/** Names that are typed: in `config.json`, on a command line, in a chat. */
const TYPED_NAME = /^[a-z][a-z0-9-]*$/

function checkNames(value: AnyCapability): void {
  const { name, settings, commands = {}, slashCommands = {} } = value
  const choices = value.sessions?.choices ?? {}
  assert.match(name, TYPED_NAME)
  for (const part of (settings?.key ?? name).split('.')) assert.match(part, /^[a-z][a-zA-Z0-9-]*$/, 'settings.key')
  for (const each of [commands, slashCommands, choices].flatMap(Object.keys)) assert.match(each, TYPED_NAME)
  const { layouts = [], models: { providers = [], embedders = [] } = {} } = value
  for (const names of [
    providers.map(({ kind }) => kind),
    embedders.map(({ kind }) => kind),
    layouts.map((each) => each.name),
  ]) {
    assert.ok(
      names.every((each) => /^[^\s/]+$/.test(each)),
      names.join(', '),
    )
    assert.deepEqual(names, [...new Set(names)], 'names that are used twice')
  }
  for (const [choice, { summary, none }] of Object.entries(choices)) {
    assert.ok(summary !== '' && none !== '', `the choice ${choice} has a summary and a name for none`)
  }
}

function checkSettings(value: AnyCapability, given: unknown): void {
  const { settings } = value
  if (!settings) return
  assert.doesNotThrow(() => parseSection(value, given), 'the settings are valid')
  checkDescriptions(z.toJSONSchema(settings.schema, { io: 'input' }) as JsonSchema, [])
}

/** The settings of a section; one that is left out is parsed as nothing, or as an empty object. */
function parseSection({ settings }: AnyCapability, given: unknown): unknown {
  if (!settings) return undefined
  const parsed = settings.schema.safeParse(given)
  return parsed.success ? parsed.data : settings.schema.parse(given ?? {})
}

interface JsonSchema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
}

function checkDescriptions({ properties = {} }: JsonSchema, path: readonly string[]): void {
  for (const [key, inner] of Object.entries(properties)) {
    if (inner.properties) checkDescriptions(inner, [...path, key])
    else assert.ok(inner.description, `the key ${[...path, key].join('.')} has a description`)
  }
}

async function checkCommands({ commands = {}, slashCommands = {} }: AnyCapability): Promise<void> {
  for (const [name, load] of Object.entries(commands)) {
    const command = await load()
    assert.equal(command.name, name)
    assert.ok(command.summary !== '', `${name} has a summary`)
    assert.ok(command.usage.length > 0, `${name} has a usage`)
    for (const usage of command.usage) assert.equal(usage.split(' ', 1)[0], name, 'a usage begins with the command')
    assert.ok(command.words.least <= command.words.most, `${name} accepts a possible number of words`)
    for (const [option, { summary }] of Object.entries(command.options)) {
      assert.ok(summary !== '', `--${option} has a summary`)
    }
  }
  for (const [name, { summary }] of Object.entries(slashCommands)) assert.ok(summary !== '', `/${name} has a summary`)
}

function checkTools(tools: readonly Tool[]): void {
  for (const { name, description, inputSchema, execute, plan } of tools) {
    assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/, 'providers accept no other name of a tool')
    assert.ok(description?.trim(), `${name} has a description`)
    assert.equal(inputSchema['type'], 'object', `the input of ${name} is an object`)
    assert.notEqual(execute === undefined, plan === undefined, `${name} has either execute or plan`)
  }
  const names = tools.map(({ name }) => name)
  assert.deepEqual(names, [...new Set(names)], 'tools that are declared twice')
}

function toolNames(running: RunningCapabilities): readonly string[] {
  return running.tools().map(({ name }) => name)
}

async function checkRoutes({ name, http }: AnyCapability, running: RunningCapabilities): Promise<void> {
  const routes = await running.routes(name)
  for (const { method, path, tag, summary, answers, needsToken } of routes) {
    // Pages, which need no token, may stand at the top.
    const form = needsToken === false ? /^\/([\w.-]+(\/:?[\w.-]+)*)?$/ : /^\/[\w.-]+(\/:?[\w.-]+(\{[^}]+\})?)+$/
    assert.match(path, form, 'a path is below a prefix such as /api')
    assert.ok(tag !== '' && summary !== '', `${method} ${path} has a tag and a summary`)
    assert.ok(Object.keys(answers).length > 0, `${method} ${path} lists its answers`)
  }
  const endpoints = routes.map(
    ({ method, path, header = '' }) => `${method} ${path.replaceAll(/:\w+/g, ':')} ${header}`,
  )
  assert.deepEqual(endpoints, [...new Set(endpoints)], 'endpoints that are declared twice')
  for (const format of http?.errors ?? []) {
    assert.ok(
      routes.some(({ path }) => path.startsWith(format.path)),
      `no route is below ${format.path}, which has an error format`,
    )
  }
}

type Start = (value: AnyCapability, options: CapabilityCasesOptions) => Promise<RunningCapabilities>

/** Runs a case with a folder and a store of its own, which are removed afterwards. */
async function withHome(run: (start: Start) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-capability-'))
  const home = { folder, data: join(folder, 'data'), workspace: join(folder, 'workspace') }
  await Promise.all([mkdir(home.data), mkdir(home.workspace)])
  const store = await openStore({ clock: systemClock, path: ':memory:' })
  try {
    await run(async (value, { settings: given, environment = {}, others = [] }) => {
      const settings = Object.fromEntries(others.map((other) => [other.name, parseSection(other, undefined)]))
      settings[value.name] = parseSection(value, given)
      const host = await capabilityHost({ home, store, environment, settings, runtime: () => noRuntime })
      return startCapabilities([...others, value], host)
    })
  } finally {
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** A gateway that routes may refer to and that no case calls. */
const noRuntime = new Proxy({} as Runtime, {
  get: (_, method) => () => {
    throw new Error(`no case may call ${String(method)} of the runtime`)
  },
})

/** How long resources may need to close after `stop`, ms. */
const CLOSING_MS = 5_000

/** Timers and immediates come and go with the test runner itself. */
const PASSING = new Set(['Timeout', 'Immediate', 'FSReqPromise', 'FSReqCallback', 'CloseReq'])

function activeResources(): readonly string[] {
  return process.getActiveResourcesInfo().filter((type) => !PASSING.has(type))
}

/**
 * What capabilities are started with in tests: a store in memory, a clock that does not move, every tool allowed, and no
 * runtime unless one is given. `startCapabilities([mine], await capabilityHost())` starts a capability.
 */
export async function capabilityHost(given: Partial<CapabilityBase> = {}): Promise<CapabilityBase> {
  const { clock = fixedClock({ timers: systemClock }), store = await openStore({ clock, path: ':memory:' }) } = given
  return {
    home: { folder: '/nowhere', data: '/nowhere/data', workspace: '/nowhere/workspace' },
    environment: {},
    version: '0',
    layout: layoutOf(usualLayout),
    counter: tokenx,
    timeZone: 'UTC',
    writes: true,
    listens: false,
    access: async () => readAccess('{"global": {"mode": "full"}}', {}),
    records: (kind) => createRecords({ store, clock }, kind),
    redact: (text) => text,
    warn: () => {},
    runtime() {
      throw new RuntimeError('internal', 'this test gives no runtime')
    },
    ...given,
    store,
    clock,
  }
}
