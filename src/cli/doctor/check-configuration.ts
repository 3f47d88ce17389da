import type { Finding, Io } from '../../capability.ts'
import type { Models } from '../../model.ts'
import { errorMessage } from '../../platform.ts'
import type { Configuration, LoadedConfiguration } from '../../runtime.ts'
import { ok, problem, warning } from './finding.ts'

/** Each mistake is a finding of its own, and so is each thing that is odd where there is none. */
export async function checkConfiguration(
  loaded: LoadedConfiguration,
  file: string,
  { environment }: Pick<Io, 'environment'>,
): Promise<readonly Finding[]> {
  const { configurationWarnings } = await import('../../runtime.ts')
  const { problems, origins } = loaded
  const odd = await configurationWarnings(loaded, environment)
  const set = Object.keys(origins).length
  const all = set === 0 ? 'all defaults' : `${set} ${set === 1 ? 'key' : 'keys'} set, all valid`
  return [
    ...(problems.length === 0 ? [ok('configuration', all)] : []),
    ...problems.map((each) => problem('configuration', messageOf(each), each.hint || `Correct it in ${file}.`)),
    ...odd.map((each) => warning('configuration', messageOf(each), each.hint)),
  ]
}

function messageOf({ key, place, message }: LoadedConfiguration['problems'][number]): string {
  return `${place}: ${[key, message].filter((text) => text !== '').join(' ')}`
}

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
    return problem('model', `${id} cannot be used: ${errorMessage(error)}`, ways)
  }
}

/** Whether the plugins of the configuration load, as a start would load them. Nothing where there are none. */
export async function checkPlugins(home: string, { agent, plugins }: Configuration): Promise<readonly Finding[]> {
  if (plugins.length === 0) return []
  const { loadPlugins } = await import('../../runtime.ts')
  try {
    const loaded = await loadPlugins(plugins, { home, workspace: agent.workspace })
    return [ok('plugins', loaded.map(({ name, version }) => `${name} ${version}`).join(', '))]
  } catch (error) {
    const why = errorMessage(error)
    return [
      problem('plugins', `the gateway does not start: ${why}`, 'Correct it, or take it out of plugins in config.json.'),
    ]
  }
}
