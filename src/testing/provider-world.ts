import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type CallOptions,
  createModels,
  type Model,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type Provider,
  type ProviderConfiguration,
  type Timeouts,
} from '../model.ts'
import type { ScriptedAnswer, ScriptedRequest } from './scripted-provider-answer.ts'
import { type ScriptedProvider, scriptedProvider } from './scripted-provider.ts'

/** A provider whose cases are run, and how it reaches the scripted server. */
export interface ProviderPlace {
  readonly provider: Provider
  /** Name of a model, such as `scripted`. */
  readonly model: string
  /** Further keys of its entry in the configuration. */
  readonly configuration?: Omit<ProviderConfiguration, 'kind'>
  /** `false`: it does not send through the `fetch` it is given, so that its requests have no digest. */
  readonly hasDigest?: boolean
}

/** A provider over a scripted server. Each case has its own. */
export interface ProviderWorld {
  readonly server: ScriptedProvider
  /** Sets what the server says next. */
  say(answer: ScriptedAnswer | ((request: ScriptedRequest) => ScriptedAnswer)): void
  model(timeouts?: Partial<Timeouts>): Promise<Model>
  /** Makes a call and collects its events. */
  call(options?: Partial<CallOptions>, request?: ModelRequest): Promise<readonly ModelEvent[]>
  /** Makes a call that has to fail. Asserts that the error does not repeat the key. */
  fail(options?: Partial<CallOptions>, timeouts?: Partial<Timeouts>): Promise<ModelError>
  /** The newest request that arrived. */
  arrived(): ScriptedRequest
}

export type ProviderCase = (name: string, run: (world: ProviderWorld) => Promise<void>) => void

/** Only a key like a real one is recognised in an error. */
export const KEY = 'sk-test-0123456789abcdef'

export const REQUEST: ModelRequest = {
  system: 'Be brief.',
  tools: [
    { name: 'search', description: 'Finds.', inputSchema: { type: 'object', properties: { q: { type: 'string' } } } },
    { name: 'now', inputSchema: { type: 'object', properties: {} } },
  ],
  messages: [{ role: 'user', content: 'What is new?' }],
}

export async function providerWorld(place: ProviderPlace): Promise<ProviderWorld> {
  let next: Parameters<ProviderWorld['say']>[0] = { text: 'ok' }
  const server = await scriptedProvider({
    answer: (request) => (typeof next === 'function' ? next(request) : next),
    models: [{ name: place.model, capabilities: ['tools', 'thinking'] }],
  })
  const { kind } = place.provider
  const model = (timeouts: Partial<Timeouts> = {}) =>
    createModels({
      known: [place.provider],
      environment: { KEY },
      providers: { [kind]: { kind, baseURL: server.url, apiKeyEnv: 'KEY', ...place.configuration, timeouts } },
    }).model(`${kind}/${place.model}`)
  return {
    server,
    say: (answer) => (next = answer),
    model,
    call: async (options, request) => eventsOf(await model(), options, request),
    fail: async (options, timeouts) => failureOf(await model(timeouts), options),
    arrived: () => server.requests.at(-1) ?? assert.fail('no request arrived'),
  }
}

export async function eventsOf(
  model: Model,
  options: Partial<CallOptions> = {},
  request = REQUEST,
): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = []
  const signal = new AbortController().signal
  for await (const event of model.call(request, { signal, ...options })) events.push(event)
  return events
}

async function failureOf(model: Model, options?: Partial<CallOptions>): Promise<ModelError> {
  const error = await eventsOf(model, options).then(
    () => assert.fail('the call succeeded'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ModelError, String(error))
  const text = `${error.message} ${JSON.stringify(error.facts)} ${error.stack}`
  assert.ok(!text.includes(KEY), 'the key is in the error')
  return error
}

export function finishEvent(events: readonly ModelEvent[]): Extract<ModelEvent, { type: 'finish' }> {
  const finish = events.at(-1)
  assert.ok(finish?.type === 'finish')
  return finish
}

export function textsOf(message: { readonly content: unknown }): readonly string[] {
  const parts = message.content as readonly { readonly type: string; readonly text?: string }[]
  return parts.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
}

/** Resolves when the server has noticed that the client left. A client that stays runs into the time limit of the test. */
export async function clientLeft(request: ScriptedRequest): Promise<void> {
  while (!request.cancelled) await pause(5)
}
