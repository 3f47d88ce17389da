import { systemClock } from '../platform.ts'
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

/** The provider under test, and how it reaches the scripted server. */
export interface ProviderCasesOptions {
  readonly provider: Provider
  /** The name of a model, such as `scripted`. */
  readonly model: string
  /** Further keys of its entry in the configuration. */
  readonly configuration?: Omit<ProviderConfiguration, 'kind'>
  /** `false` if the provider does not use the `fetch` that it gets, so its requests have no digest. The default is `true`. */
  readonly hasDigest?: boolean
}

/** A provider and its scripted server. Each case has its own. */
export interface ProviderWorld {
  readonly server: ScriptedProvider
  /** Sets the next answers of the server. */
  script(answer: ScriptedAnswer | ((request: ScriptedRequest) => ScriptedAnswer)): void
  model(timeouts?: Partial<Timeouts>): Promise<Model>
  /** Makes a call and collects its events. */
  call(options?: Partial<CallOptions>, request?: ModelRequest): Promise<readonly ModelEvent[]>
  /** Makes a call that must fail. Asserts that the error does not contain the key. */
  fail(options?: Partial<CallOptions>, timeouts?: Partial<Timeouts>): Promise<ModelError>
  /** The newest request that arrived. */
  lastRequest(): ScriptedRequest
}

export type ProviderCase = (name: string, run: (world: ProviderWorld) => Promise<void>) => void

/** Has the form of a real key, so that it is recognised in an error. */
export const KEY = 'sk-test-0123456789abcdef'

export const REQUEST: ModelRequest = {
  system: 'Be brief.',
  tools: [
    { name: 'search', description: 'Finds.', inputSchema: { type: 'object', properties: { q: { type: 'string' } } } },
    { name: 'now', inputSchema: { type: 'object', properties: {} } },
  ],
  messages: [{ role: 'user', content: 'What is new?' }],
}

export async function providerWorld(options: ProviderCasesOptions): Promise<ProviderWorld> {
  let next: Parameters<ProviderWorld['script']>[0] = { text: 'ok' }
  const server = await scriptedProvider({
    answer: (request) => (typeof next === 'function' ? next(request) : next),
    models: [{ name: options.model, capabilities: ['tools', 'thinking'] }],
  })
  const { kind } = options.provider
  const model = (timeouts: Partial<Timeouts> = {}) =>
    createModels({
      clock: systemClock,
      known: [options.provider],
      environment: { KEY },
      providers: { [kind]: { kind, baseURL: server.url, apiKeyEnv: 'KEY', ...options.configuration, timeouts } },
    }).model(`${kind}/${options.model}`)
  return {
    server,
    script: (answer) => (next = answer),
    model,
    call: async (callOptions, request) => collectEvents(await model(), callOptions, request),
    fail: async (callOptions, timeouts) => expectFailure(await model(timeouts), callOptions),
    lastRequest: () => server.requests.at(-1) ?? assert.fail('no request arrived'),
  }
}

export function collectEvents(
  model: Model,
  options: Partial<CallOptions> = {},
  request = REQUEST,
): Promise<readonly ModelEvent[]> {
  return Array.fromAsync(model.call(request, { signal: new AbortController().signal, ...options }))
}

async function expectFailure(model: Model, options?: Partial<CallOptions>): Promise<ModelError> {
  const error = await collectEvents(model, options).then(
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

export function messageTexts(message: { readonly content: unknown }): readonly string[] {
  const parts = message.content as readonly { readonly type: string; readonly text?: string }[]
  return parts.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
}

/** Resolves when the client has disconnected. If it does not, the test runs into its timeout. */
export async function waitForDisconnect(request: ScriptedRequest): Promise<void> {
  while (!request.cancelled) await pause(5)
}
