import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import {
  expectOk,
  fromLanguageModel,
  httpModelSettings,
  type Model,
  type ModelSettings,
  type StreamingModel,
} from '../../model.ts'
import { ollamaRequest } from './ollama-request.ts'
import { ollamaParts } from './ollama-stream.ts'

/** Loading a large model and reading a long prompt take minutes; Node's own `fetch` gives up after 300 seconds. */
const TIMEOUTS = { firstMs: 280_000, idleMs: 120_000 }

/**
 * A model that Ollama serves, by its native `/api/chat`: the only endpoint where the window can be set (`num_ctx`) and where
 * the server tells how much of the prompt it has read (BEHAVIOURS §1.6).
 */
export function ollamaModel(settings: ModelSettings): Model {
  return fromLanguageModel({
    ...httpModelSettings(settings, TIMEOUTS),
    stream: 'lines',
    carries: { resultImages: false, imageAddresses: false },
    missing: `Fetch it with \`ollama pull ${settings.model}\`.`,
    open: (fetch) => streaming(settings, fetch),
    mark: (call, { window }) => ({
      ...call,
      providerOptions: { ollama: { num_ctx: window ?? settings.facts.window } },
    }),
  })
}

function streaming(settings: ModelSettings, fetch: ModelSettings['fetch']): StreamingModel {
  return {
    async doStream(call: LanguageModelV4CallOptions) {
      const { apiKey, headers } = settings
      const response = await fetch(`${settings.baseURL}/api/chat`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
          ...headers,
        },
        body: JSON.stringify(ollamaRequest(settings.model, call)),
        ...(call.abortSignal ? { signal: call.abortSignal } : {}),
      })
      const { body, headers: told } = await expectOk(response)
      if (!body) throw new Error('the answer has no body')
      return {
        stream: body.pipeThrough(new TextDecoderStream()).pipeThrough(ollamaParts(told.get('content-type') ?? '')),
      }
    },
  }
}
