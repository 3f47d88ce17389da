import { countedText, phrase } from '../../context.ts'
import type { Finding, Io } from '../../capability.ts'
import type { Models } from '../../model.ts'
import { errorMessage, systemClock } from '../../platform.ts'
import type { Configuration, LoadedConfiguration } from '../../runtime.ts'
import { programCapabilities } from '../io.ts'
import { ok, problem, warning } from './finding.ts'

/** One finding for each mistake in the configuration and for each warning about it. */
export async function checkConfiguration(
  loaded: LoadedConfiguration,
  file: string,
  { environment }: Pick<Io, 'environment'>,
): Promise<readonly Finding[]> {
  const { configurationWarnings } = await import('../../runtime.ts')
  const { problems, origins } = loaded
  const odd = await configurationWarnings(loaded, environment)
  const set = Object.keys(origins).length
  const all = set === 0 ? phrase`all defaults` : phrase`${countedText(set, 'key')} set, all valid`
  return [
    ...(problems.length === 0 ? [ok('configuration', all)] : []),
    ...problems.map((each) =>
      problem('configuration', problemMessage(each), each.hint || phrase`Correct it in ${file}.`),
    ),
    ...odd.map((each) => warning('configuration', problemMessage(each), each.hint)),
  ]
}

/** What other gateways on the database have changed and this machine cannot use. Nothing is written. No finding without a database. */
export async function checkShared(
  home: string,
  { configuration: { store } }: Pick<LoadedConfiguration, 'configuration'>,
  io: Io,
): Promise<readonly Finding[]> {
  if (store === undefined) return []
  const { teamSettings } = await import('../../runtime.ts')
  const { lookAtShared } = await teamSettings()
  const capabilities = await programCapabilities(io)
  try {
    const found = await lookAtShared({ home, environment: io.environment, capabilities, clock: systemClock }, store)
    if (found === undefined) return []
    const { version, refused, waits } = found
    const waiting = phrase`config.json has changes that the other gateways do not have yet`
    return [
      ...refused.map((text) =>
        warning('settings', text.replace(/\.$/, ''), phrase`Until then this gateway goes on with what it had.`),
      ),
      ...(waits ? [warning('settings', waiting, phrase`Run \`foreword reload\`.`)] : []),
      ...(refused.length === 0 && !waits ? [ok('settings', phrase`those of the team, version ${version}`)] : []),
    ]
  } catch (error) {
    return [
      warning(
        'settings',
        phrase`not compared: ${errorMessage(error)}`,
        phrase`Fix what the findings about the store name.`,
      ),
    ]
  }
}

function problemMessage({ key, place, message }: LoadedConfiguration['problems'][number]): string {
  return `${place}: ${[key, message].filter((text) => text !== '').join(' ')}`
}

/** Checks that the provider lists the model that answers next and accepts the key. Calls no model. `ways`: to attach one. */
export async function checkModel(models: Models, configured: string | undefined, ways: string): Promise<Finding> {
  const chosen = configured === undefined ? await models.choose() : undefined
  const id = configured ?? chosen!.id
  if (chosen?.standIn) return warning('model', phrase`no real model is attached; ${id} answers in its place`, ways)
  const provider = id.split('/', 1)[0]!
  try {
    await models.model(id)
    const listed = await models.list()
    const refused = listed.find((listing) => listing.id === provider && !listing.ready)
    if (refused?.unlisted) return ok('model', phrase`${id}; ${provider} answers, without a list of models`)
    if (refused !== undefined)
      return problem(
        'model',
        phrase`${id} cannot be used: ${refused.why ?? phrase`its provider does not answer`}`,
        ways,
      )
    if (isUnlisted(id, listed)) {
      return warning(
        'model',
        phrase`${provider} does not list ${id}`,
        phrase`Run \`foreword models\`, then \`foreword config set model ID\`.`,
      )
    }
    return ok('model', id)
  } catch (error) {
    return problem('model', phrase`${id} cannot be used: ${errorMessage(error)}`, ways)
  }
}

/** Whether the provider of a model lists others, and not this one. */
function isUnlisted(id: string, listed: Awaited<ReturnType<Models['list']>>): boolean {
  const offered = listed.filter((listing) => listing.ready && listing.id.startsWith(`${id.split('/', 1)[0]}/`))
  return offered.length > 0 && !offered.some((listing) => listing.id === id)
}

/** Warns of each fallback that its provider does not list. Calls no model. */
export async function checkFallbacks(models: Models, configured: Configuration['models']): Promise<readonly Finding[]> {
  const named = Object.entries(configured).flatMap(([id, { fallback = [] }]) => fallback.map((each) => ({ id, each })))
  if (named.length === 0) return []
  const listed = await models.list()
  return named
    .filter(({ each }) => isUnlisted(each, listed))
    .map(({ id, each }) =>
      warning(
        'model',
        phrase`${each}, a fallback of ${id}, is not listed by its provider`,
        phrase`Run \`foreword models\`.`,
      ),
    )
}

/** Whether the model that answers next can write the notes that sessions are to have. No finding where it can. */
export async function checkNotes(
  models: Models,
  { configuration: { model, context }, schema }: Pick<LoadedConfiguration, 'configuration' | 'schema'>,
): Promise<readonly Finding[]> {
  const { layoutOf } = await import('../../context.ts')
  const { shortAnswer } = await import('../../runtime.ts')
  if (context.notes !== 'model' || !layoutOf(context.layout, schema.layouts).notes) return []
  const id = model ?? (await models.choose()).id
  const found = await models.model(id).catch(() => undefined)
  const short = found && shortAnswer(context, found)
  if (short === undefined) return []
  return [
    warning(
      'notes',
      short,
      phrase`Correct \`maxOutput\` of the model or \`context.reserve\`, or set \`context.notes\` to \`index\`.`,
    ),
  ]
}

/** Loads the plugins of the configuration as a start would. No findings where none is configured. */
export async function checkPlugins(home: string, { agent, plugins }: Configuration): Promise<readonly Finding[]> {
  if (plugins.length === 0) return []
  const { loadPlugins } = await import('../../runtime.ts')
  try {
    const loaded = await loadPlugins(plugins, { home, workspace: agent.workspace })
    return [ok('plugins', loaded.map(({ name, version }) => `${name} ${version}`).join(', '))]
  } catch (error) {
    const why = errorMessage(error)
    return [
      problem(
        'plugins',
        phrase`the gateway cannot start: ${why}`,
        phrase`Correct it, or remove it from \`plugins\` in config.json.`,
      ),
    ]
  }
}
