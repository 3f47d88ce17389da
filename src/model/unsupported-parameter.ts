import { type CallParameters, PARAMETER_NAMES } from './call-parameters.ts'
import { ModelError } from './model-error.ts'

/** The error of a call that asks for something its model has no place for. `facts.parameter` is OpenAI's name of it. */
export function unsupportedParameter(
  parameter: keyof CallParameters,
  { provider, model }: { readonly provider: string; readonly model: string },
): ModelError {
  const name = PARAMETER_NAMES[parameter]
  const id = model === '' || model === provider ? provider : `${provider}/${model}`
  return new ModelError(
    'unsupported-parameter',
    `Unsupported parameter: \`${name}\` cannot be passed to ${id}, or not with this value. Leave it out, or choose another model.`,
    { provider, model, parameter: name },
  )
}
