import { fromLanguageModel } from './language-model.ts'
import type { Model } from './model.ts'
import { httpModelSettings, type ModelSettings } from './model-settings.ts'
import type { Opened, Provider } from './provider.ts'
import { PLAIN_WIRE, type SdkLanguageModel, streamingModel } from './sdk-model.ts'

/** A model of a provider. A language model of the AI SDK that its `open` answers with becomes a `Model`. */
export async function openModel({ open, carries = PLAIN_WIRE }: Provider, settings: ModelSettings): Promise<Model> {
  let usesFetch = false
  const opened = await open({
    ...settings,
    // A provider that never reads it sends on its own.
    get fetch() {
      usesFetch = true
      return settings.fetch
    },
  } as OpenSettings)
  if (!isLanguageModel(opened)) return opened
  return fromLanguageModel({
    ...httpModelSettings(settings),
    // Its package may read another form of stream than server-sent events.
    stream: undefined,
    carries,
    usesFetch,
    open: async (fetch) => {
      if (!usesFetch) return streamingModel(opened)
      return streamingModel((await open({ ...settings, fetch } as OpenSettings)) as SdkLanguageModel)
    },
  })
}

/** Every provider reads settings of its own, which were checked against its `settings`. */
type OpenSettings = Parameters<Provider['open']>[0]

function isLanguageModel(opened: Opened): opened is SdkLanguageModel {
  return 'doStream' in opened
}
