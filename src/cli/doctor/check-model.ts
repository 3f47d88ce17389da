import type { Models } from '../../model.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Whether the model that answers next is there and lets us in. Asks its provider what it has; makes no call. `ways`: how to attach one. */
export async function checkModel(models: Models, configured: string | undefined, ways: string): Promise<Finding> {
  const chosen = configured === undefined ? await models.choose() : undefined
  const id = configured ?? chosen!.id
  if (chosen?.standIn) return warning('model', `no real model is attached: ${id} answers`, ways)
  const provider = id.split('/', 1)[0]!
  try {
    await models.model(id)
    const listed = await models.list()
    const refused = listed.find((listing) => listing.id === provider && !listing.ready)
    if (refused !== undefined)
      return problem('model', `${id} cannot be used: ${refused.why ?? 'it does not answer'}`, ways)
    const offered = listed.filter((listing) => listing.ready && listing.id.startsWith(`${provider}/`))
    if (offered.length > 0 && !offered.some((listing) => listing.id === id)) {
      return warning(
        'model',
        `${provider} does not list ${id}`,
        'Run `foreword models`, then `foreword config set model ID`.',
      )
    }
    return ok('model', id)
  } catch (error) {
    return problem('model', `${id} cannot be used: ${error instanceof Error ? error.message : String(error)}`, ways)
  }
}
