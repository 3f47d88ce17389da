import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AnyCapability,
  type AttachedProvider,
  type Clock,
  type ModelSetup,
  RuntimeError,
  type SetupProvider,
  type Runtime,
} from '../../capability.ts'
import { type Models, type Provider, tryProvider, answerLimits } from '../../model.ts'
import { defined, makePrivateFolder, writeFileAtomically } from '../../platform.ts'
import type { AuditFacts, SessionStore } from '../../session.ts'
import { setValue } from '../configuration/edit.ts'
import { loadConfiguration } from '../configuration/load.ts'
import type { Environment } from '../configuration/value.ts'
import { runtimeFailure } from '../failure.ts'
import { homeAt } from '../home/home.ts'
import {
  type LiveModels,
  type ModelChoice,
  createModelChoice,
  modelStatuses,
  modelView,
  priceOf,
} from './model-choice.ts'
import type { RuntimeSettings } from '../settings.ts'
import { openLearned } from './open-learned.ts'

/** Attaches models by the same edits of `config.json` as a person would make, and takes them over without a restart. */
export function createModelSetup(
  options: {
    readonly home: string
    readonly environment: Environment
    readonly capabilities: readonly AnyCapability[]
    readonly models: Models
    readonly live: LiveModels
    readonly store: Pick<SessionStore, 'transaction'>
    readonly clock: Clock
  },
  choice: ModelChoice,
): ModelSetup {
  const { home, environment, capabilities, models, live, store, clock } = options
  const known = capabilities.flatMap((each) => each.models?.providers ?? [])
  const load = () => loadConfiguration({ home, environment, capabilities })

  async function set(key: readonly string[], value: unknown, facts: readonly AuditFacts[]): Promise<void> {
    const { schema } = await load()
    // Recorded before it counts: where that fails, nothing is changed.
    const record = async (): Promise<void> => {
      const time = clock.time()
      await store.transaction(facts.map((each) => ({ type: 'audit', facts: each, time }) as const))
    }
    await setValue({ home, clock, schema, key, value, check: record })
    const { configuration } = await load()
    live.model = configuration.model
    live.providers = configuration.providers
    live.models = configuration.models
    for (const hear of live.changed) hear()
  }

  return {
    async options() {
      // A server may have been started since the best model was looked for.
      if (live.model === undefined) choice.forget()
      const [current, listed] = await Promise.all([choice.current(), models.list()])
      const isStandIn = known.some(({ kind, standIn }) => standIn !== undefined && kind === current.id)
      const providers = known.flatMap((provider): readonly SetupProvider[] => {
        const { kind, title, website, needsBaseURL = false, baseURL: address } = provider
        if (title === undefined) return []
        const names = [kind, ...Object.keys(live.providers).filter((name) => live.providers[name]!.kind === kind)]
        const own = listed.filter(({ id }) => names.includes(id.split('/', 1)[0]!))
        const usable = own.filter(({ ready }) => ready).map(({ id }) => id)
        const why = usable.length > 0 ? undefined : own.find((each) => each.why !== undefined)?.why
        const needsKey = (provider.environmentKeys ?? []).length > 0
        return [
          { kind, title, needsKey, needsAddress: needsBaseURL, models: usable, ...defined({ address, website, why }) },
        ]
      })
      return { ready: !isStandIn, model: current, providers }
    },
    async attach(asked, by) {
      const { provider, name } = checked(asked, known)
      const { baseURL, key } = asked
      const names = await tryProvider({ clock, provider, name, baseURL, key }).catch((error: unknown) => {
        throw runtimeFailure(error)
      })
      const { apiKeyEnv: _, ...before } = live.providers[name] ?? { kind: provider.kind }
      const kept = key ? await keepKey(home, name, key) : undefined
      try {
        const apiKeyFile = kept?.inHome
        const attached = { ...before, kind: provider.kind, ...defined({ baseURL, apiKeyFile }) }
        await set(['providers', name], attached, [
          ...(kept ? [changeFacts(kept.inHome, 'a key was kept in it', by)] : []),
          changeFacts('config.json', `providers.${name} set: a provider was attached`, by),
        ])
      } catch (error) {
        await kept?.putBack()
        throw error
      }
      return { name, models: names.map((model) => `${name}/${model}`) }
    },
    async chooseModel(id, by) {
      await choice.assertUsable(id)
      const { configuration, origins } = await load()
      const { model } = origins
      if (configuration.model !== id && model !== undefined && !model.startsWith('config.json')) {
        throw new RuntimeError(
          'invalid-input',
          `The environment variable ${model} sets the model to ${configuration.model}. Start the gateway without it.`,
        )
      }
      await set(['model'], id, [changeFacts('config.json', 'model set', by)])
    },
    async setFallback(id, fallback, by) {
      if (fallback.includes(id) || new Set(fallback).size < fallback.length) {
        throw new RuntimeError('invalid-input', 'A fallback is another model than its own, and is named once.')
      }
      await Promise.all([id, ...fallback].map((model) => choice.assertKnown(model)))
      const value = fallback.length > 0 ? fallback : undefined
      if (value ?? live.models?.[id]?.fallback) {
        await set(['models', id, 'fallback'], value, [changeFacts('config.json', `fallback of ${id} set`, by)])
      }
    },
  }
}

function changeFacts(rule: string, reason: string, by: string | undefined): AuditFacts {
  return { kind: 'change', rule, reason, ...defined({ by }) }
}

function checked(
  { kind, name = kind, baseURL }: AttachedProvider,
  known: readonly Provider[],
): { readonly provider: Provider; readonly name: string } {
  const provider = known.find((each) => each.kind === kind)
  if (provider === undefined) {
    const kinds = known.map((each) => each.kind).join(', ')
    throw new RuntimeError('not-found', `No provider is named ${kind}. Use one of ${kinds}.`, { provider: kind })
  }
  if (!/^[a-z\d][\w.-]{0,63}$/i.test(name)) {
    throw new RuntimeError('invalid-input', 'The name of a provider has letters, digits, dots and hyphens only.')
  }
  if (baseURL !== undefined && !/^https?:\/\//.test(baseURL)) {
    throw new RuntimeError('invalid-input', 'The address begins with http:// or https://.')
  }
  return { provider, name }
}

interface KeptKey {
  readonly inHome: string
  putBack(): Promise<unknown>
}

/** Writes a key into a file of its own, which tools cannot reach, like all of `data`. */
async function keepKey(home: string, name: string, key: string): Promise<KeptKey> {
  const folder = join(homeAt(home).data, 'keys')
  await makePrivateFolder(folder)
  const path = join(folder, name)
  const before = await readFile(path).catch(() => undefined)
  await writeFileAtomically(path, `${key.trim()}\n`)
  return {
    inHome: `data/keys/${name}`,
    putBack: () => (before ? writeFileAtomically(path, before) : rm(path, { force: true })),
  }
}

/** The models of one runtime: which answers, what was learned of each, what it costs, and how a person sees and attaches them. */
export async function openModelService(
  parts: Omit<Parameters<typeof createModelSetup>[0], 'store'> & {
    readonly models: Models
    readonly live: LiveModels
    readonly settings: RuntimeSettings
    readonly store: SessionStore
    readonly clock: Clock
  },
  warn: (text: string) => void,
) {
  const { models, clock } = parts
  const { milliseconds } = answerLimits(0, parts.settings.maxAnswerMs)
  const choice = createModelChoice(models, clock, parts.live, milliseconds, warn)
  parts.live.changed.add(choice.forget)
  const learned = await openLearned(parts.store, clock, warn)
  const { calibration, limits } = learned
  const views: Pick<Runtime, 'setup' | 'models' | 'model'> = {
    setup: createModelSetup(parts, choice),
    models: () => modelStatuses(models, choice, learned),
    model: (id) => modelView({ settings: parts.settings, calibration, limits }, choice, id),
  }
  return {
    choice,
    learned,
    priceOf: (model: string) => priceOf(clock, models, model),
    views,
    /** Asks again: who there is, and whether their limits still hold. */
    forget() {
      choice.forget()
      limits.forget()
    },
    close: () => void parts.live.changed.delete(choice.forget),
  }
}
