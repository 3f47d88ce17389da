import type { Configuration, Environment } from '../../runtime.ts'
import { checkModel } from '../doctor/check-model.ts'
import { checkPlugins } from '../doctor/check-plugins.ts'
import { checkPort } from '../doctor/check-port.ts'
import { checkToken } from '../doctor/check-token.ts'
import type { Finding } from '../doctor/finding.ts'
import { CommandFailure } from '../failure.ts'

/** A configuration as it would be after a change of one key. */
export interface PlannedChange {
  readonly home: string
  /** Names of the levels, joined by dots. */
  readonly key: string
  readonly configuration: Configuration
  readonly environment: Environment
}

/**
 * Throws where a gateway could not start with this change, or could use no model. Answers what is odd about it all the
 * same, such as a model that its provider does not list. Looks at the changed key alone.
 */
export async function assertStartable(change: PlannedChange): Promise<readonly string[]> {
  const { home, key, configuration } = change
  const { gateway } = configuration
  if (key === 'model' || key === 'subjects.summaryModel') return await checkModelOf(change)
  if (key === 'gateway.bind') refuseProblems([await checkPort(0, gateway.bind), ...(await checkToken(home, gateway))])
  if (key === 'plugins') refuseProblems(await checkPlugins(home, configuration))
  return []
}

/** Throws for what can be the id of no model. Answers what is odd about one that can. */
async function checkModelOf({ key, configuration, environment }: PlannedChange): Promise<readonly string[]> {
  const id = key === 'model' ? configuration.model : configuration.subjects.summaryModel
  if (id === undefined) return []
  const { modelNameFault, providerNames } = await import('../../runtime.ts')
  const fault = modelNameFault(id, providerNames(configuration))
  if (fault) throw refused(`${key} ${fault.message}.`, fault.hint)
  const { createModels, waysToAttach } = await import('../../model.ts')
  const { providers: known } = await import('../../capabilities/providers.ts')
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
