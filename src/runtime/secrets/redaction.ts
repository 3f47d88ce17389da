import type { RunningCapabilities } from '../../capability.ts'
import type { Layer } from '../../context.ts'
import type { Redaction } from '../../tool.ts'
import type { HomeSecrets } from './home-secrets.ts'

/** Takes the secrets out of results, those that were put into files a moment ago, too. */
export function redactionOf(secrets: HomeSecrets): Redaction {
  return async () => {
    await secrets.refresh()
    return secrets.redact
  }
}

/** Capabilities whose layers contain no secret: an instruction or a skill may have one written into it. */
export function withoutSecrets(
  capabilities: Pick<RunningCapabilities, 'layers'>,
  { redact }: Pick<HomeSecrets, 'redact'>,
): Pick<RunningCapabilities, 'layers'> {
  return {
    layers: async (context, parts) =>
      (await capabilities.layers(context, parts)).map((layer) => redactLayer(layer, redact)),
  }
}

function redactLayer(layer: Layer, redact: (text: string) => string): Layer {
  const renditions = layer.renditions.map((rendition) => {
    const text = redact(rendition.text)
    // What was counted was another text.
    return text === rendition.text ? rendition : { form: rendition.form, text }
  })
  return renditions.every((each, index) => each === layer.renditions[index]) ? layer : { ...layer, renditions }
}
