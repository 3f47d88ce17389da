import { type Model, ModelError, type Models } from '../../model.ts'
import type { KnownSecrets } from '../../platform.ts'

/** Models whose failures contain no secret: a server may repeat what it was sent, and more. */
export function cleanModels(models: Models, { redact }: Pick<KnownSecrets, 'redact'>): Models {
  const cleaned = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answer.catch((error: unknown) => {
      throw cleanError(error, redact)
    })
  return {
    ...models,
    model: async (id) => cleanModel(await cleaned(models.model(id)), redact),
    choose: () => cleaned(models.choose()),
    list: async () => {
      const listed = await cleaned(models.list())
      return listed.map((each) => (each.ready || each.why === undefined ? each : { ...each, why: redact(each.why) }))
    },
  }
}

type Redact = KnownSecrets['redact']

function cleanModel(model: Model, redact: Redact): Model {
  const properties = Object.getOwnPropertyDescriptors(model)
  const copy = Object.create(Object.getPrototypeOf(model) as object, properties) as Model
  return Object.defineProperty(copy, 'call', {
    value: async function* (...given: Parameters<Model['call']>) {
      try {
        yield* model.call(...given)
      } catch (error) {
        throw cleanError(error, redact)
      }
    },
  })
}

function cleanError(error: unknown, redact: Redact): unknown {
  if (!(error instanceof ModelError)) return error
  const { code, facts, hint } = error
  const message = redact(error.message)
  const detail = facts.detail === undefined ? undefined : redact(facts.detail)
  if (message === error.message && detail === facts.detail) return error
  return new ModelError(code, message, { ...facts, ...(detail !== undefined && { detail }) }, { hint })
}
