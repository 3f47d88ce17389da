import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { AnyCapability, CapabilityHost, LayerContext, Self, TurnPart, TurnQuestion } from '../../src/capability.ts'
import { type Layer, layoutOf, layouts, tokenx } from '../../src/context.ts'
import { createRecords } from '../../src/runtime/records.ts'
import { openStore } from '../../src/session.ts'
import { fixedClock } from '../../src/testing.ts'
import { systemClock } from '../../src/platform.ts'

/** Capabilities that were started on an empty home, without a runtime around them. */
export interface Started {
  readonly host: CapabilityHost
  readonly warnings: readonly string[]
  self<Service, Settings = undefined>(name: string): Self<Settings, Service>
  /** The parts of one turn, and what they come to. */
  turn(question?: Partial<TurnQuestion>): Promise<StartedTurn>
}

export interface StartedTurn {
  readonly parts: readonly TurnPart[]
  readonly tools: readonly string[]
  /** Name and text of each layer, in their order; `-` where it is withheld. */
  layers(context?: Partial<LayerContext>): Promise<readonly string[]>
  /** The same in so many tokens. */
  within(room: number): Promise<StartedTurn>
}

export async function startedCapabilities(
  t: TestContext,
  capabilities: readonly AnyCapability[],
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-capabilities-'))
  const store = await openStore({ clock: systemClock, path: ':memory:' })
  const clock = fixedClock({ timers: systemClock })
  const layout = layoutOf('auto')
  const warnings: string[] = []
  const services = new Map<string, unknown>()
  const settingsOf = (name: string) => {
    const one = capabilities.find((each) => each.name === name)
    return one && (one.settings?.schema.parse(settings[name] ?? {}) as unknown)
  }
  const host = {
    settings: undefined,
    home: { folder, data: join(folder, 'data'), workspace: join(folder, 'workspace') },
    environment: {},
    version: '0',
    layout,
    layouts,
    counter: tokenx,
    timeZone: 'UTC',
    clock,
    store,
    writes: true,
    runtime: { tools: async () => [], model: async () => undefined },
    capability: ({ name }: { readonly name: string }) => services.get(name),
    settingsOf,
    embedders: capabilities.flatMap(({ models }) => models?.embedders ?? []),
    choices: Object.assign(
      {},
      ...capabilities.map(({ sessions }) => sessions?.choices ?? {}),
    ) as CapabilityHost['choices'],
    records: (kind: Parameters<CapabilityHost['records']>[0]) => createRecords({ store, clock }, kind),
    warn: (text: string) => void warnings.push(text),
  } as unknown as CapabilityHost
  const selfOf = (name: string) => ({ ...host, settings: settingsOf(name), service: services.get(name) })
  for (const { name, start } of capabilities) {
    services.set(name, await start?.({ ...host, settings: settingsOf(name) } as CapabilityHost<never>))
  }
  t.after(async () => {
    for (const { name, stop } of capabilities.toReversed()) await stop?.(selfOf(name))
    await store.close()
    await rm(folder, { recursive: true, force: true })
  })

  async function present(choices: TurnQuestion['choices']): Promise<TurnQuestion['choices']> {
    const found: Record<string, string> = {}
    for (const { name, sessions } of capabilities) {
      for (const [choice, { preset }] of Object.entries(sessions?.choices ?? {})) {
        const id = choices[choice]
        if (id !== undefined && (await preset?.(selfOf(name) as never, id))) found[choice] = id
      }
    }
    return found
  }

  function turnOf(parts: readonly TurnPart[]): StartedTurn {
    return {
      parts,
      tools: parts.flatMap(({ tools = [] }) => tools.map(({ name }) => name)),
      async layers(given = {}) {
        const context: LayerContext = { ...calm, layout, session: 'session_1', ...given }
        const fixed = await Promise.all(
          capabilities.map(async ({ name, layers }) => layers?.(selfOf(name), context) ?? []),
        )
        const own = await Promise.all(parts.map(async (part) => (await part.layers?.(context)) ?? []))
        return fixed.flatMap((layers, index) => [...layers, ...own[index]!]).map(lineOf)
      },
      within: async (room) => turnOf(await Promise.all(parts.map(async (part) => part.within?.(room) ?? part))),
    }
  }

  return {
    host,
    warnings,
    self: (name) => selfOf(name) as never,
    async turn(question = {}) {
      const choices = await present(question.choices ?? {})
      const asked: TurnQuestion = { ...small, layout, ...question, choices }
      return turnOf(await Promise.all(capabilities.map(async ({ name, turn }) => turn?.(selfOf(name), asked) ?? {})))
    },
  }
}

const calm = {
  time: '2026-01-05T12:00:00.000Z',
  tools: [],
  callsTools: true,
  choices: {},
  promptBlocks: [],
  readsForeign: false,
  cites: false,
}

const small = {
  text: 'hello',
  model: 'rehearsal',
  facts: {} as TurnQuestion['facts'],
  window: 1_000,
  reserve: 0,
  keeps: false,
}

function lineOf({ id, renditions, withheld }: Layer): string {
  return `${id}: ${withheld ? '-' : renditions[0]?.text}`
}
