import { fromLanguageModel } from '../language-model.ts'
import type { Model } from '../model.ts'
import { commonSettings, type DoorSettings } from './settings.ts'

/** A model behind any server that speaks Chat Completions: LM Studio, vLLM, llama.cpp, OpenRouter and many more. */
export function openaiCompatibleModel(settings: DoorSettings): Model {
  return fromLanguageModel({
    ...commonSettings(settings),
    carries: { resultImages: false, imageAddresses: true },
    open: async (fetch) => {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const { provider: name, baseURL, apiKey, headers = {} } = settings
      const key = apiKey === undefined ? {} : { apiKey }
      return createOpenAICompatible({ name, baseURL, ...key, headers: { ...headers }, includeUsage: true, fetch })(
        settings.model,
      )
    },
  })
}
