import type { Finding } from '../../capability.ts'
import { errorMessage, ForewordError } from '../../platform.ts'
import type { DatabaseFacts, DatabasePlace } from '../../session.ts'
import { ok, problem, warning } from './finding.ts'

/** Checks that a gateway can use a database: that it is reached, is new enough, and lets its user do what is needed. */
export async function checkDatabase(place: DatabasePlace): Promise<readonly Finding[]> {
  const { examineDatabase } = await import('../../session.ts')
  try {
    return databaseFindings(await examineDatabase(place))
  } catch (error) {
    const hint = (error instanceof ForewordError && error.hint) || 'Correct `store` in config.json.'
    return [problem('database', errorMessage(error), hint)]
  }
}

function databaseFindings(facts: DatabaseFacts): readonly Finding[] {
  const { place, version, isTooOld, missingRights, isPooled, isPrivate, holder } = facts
  const used = holder === undefined ? 'no gateway uses it now' : `in use by ${holder}`
  const found = [ok('database', `${place} is PostgreSQL ${version}, ${used}`)]
  if (isTooOld)
    found.push(problem('database', `PostgreSQL ${version} is too old`, 'Foreword needs PostgreSQL 13 or newer.'))
  if (missingRights.length > 0) {
    const hint = 'Run `grant create on database NAME to USER` as its owner, or make the user the owner of the schema.'
    found.push(problem('database', `its user may not ${missingRights.join(' and ')}`, hint))
  }
  if (isPooled) {
    const what = 'a pooler gives each transaction another connection, so that the lock of the gateway is lost'
    found.push(
      problem('database', what, 'Name the address of the server itself, or set the pooler to pool_mode = session.'),
    )
  }
  if (!isPrivate) {
    const hint = 'Set "tls": "verified" of `store`, unless the network is yours alone.'
    found.push(warning('database', 'what is sent to it is not encrypted', hint))
  }
  return found
}
