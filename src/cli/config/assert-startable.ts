import type { Environment, LoadedConfiguration } from '../../runtime.ts'
import { checkModel } from '../doctor/check-model.ts'
import { checkPlugins } from '../doctor/check-plugins.ts'
import { checkPort } from '../doctor/check-port.ts'
import { checkToken } from '../doctor/check-token.ts'
import type { Finding } from '../../capability.ts'
import { CommandFailure } from '../failure.ts'
import { effectiveValue } from './effective-values.ts'

/** A configuration as it would be after a change of one key. */
export interface PlannedChange {
  readonly home: string
  /** Names of the levels. */
  readonly path: readonly string[]
  readonly planned: LoadedConfiguration
  readonly environment: Environment
}

/**
 * Throws where a gateway could not start with this change, or could use no model. Answers what is odd about it all the
 * same, such as a model that its provider does not list. Looks at the changed key alone.
 */
export async function assertStartable(change: PlannedChange): Promise<readonly string[]> {
  const { home, path, planned } = change
  const { configuration, problems, schema } = planned
  const { gateway } = configuration
  const key = path.join('.')
  const { factsAt } = await import('../../runtime.ts')
  if (key === 'model' || factsAt(schema.whole, path).model) return await checkModelOf(change)
  if (key === 'gateway.bind') refuseProblems([await checkPort(0, gateway.bind), ...(await checkToken(home, gateway))])
  const broken = key === 'capabilities' ? problems.find((problem) => problem.key === key) : undefined
  if (broken) throw refused(`${key} ${broken.message}.`, broken.hint)
  if (key === 'plugins') refuseProblems(await checkPlugins(home, configuration))
  return []
}

/** Throws for what can be the id of no model. Answers what is odd about one that can. */
async function checkModelOf({ path, planned, environment }: PlannedChange): Promise<readonly string[]> {
  const { configuration, knownProviders: known } = planned
  const key = path.join('.')
  const id = effectiveValue(key, planned).value
  if (typeof id !== 'string') return []
  const { modelNameFault } = await import('../../runtime.ts')
  const fault = modelNameFault(id, configuration, known)
  if (fault) throw refused(`${key} ${fault.message}.`, fault.hint)
  const { createModels, waysToAttach } = await import('../../model.ts')
  const { providers, models } = configuration
  const {
    level,
    message,
    hint = '',
  } = await checkModel(createModels({ known, providers, models, environment }), id, waysToAttach(known))
  return level === 'ok' ? [] : [`${message}. ${hint}`.trimEnd()]
}

function refuseProblems(findings: readonly Finding[]): void {
  const first = findings.find(({ level }) => level === 'problem')
  if (first) throw refused(`${first.message}.`.replace(/\.\.$/, '.'), first.hint)
}

function refused(why: string, hint: string | undefined): CommandFailure {
  return new CommandFailure('configuration', `nothing was changed: ${why}`, { hint })
}
