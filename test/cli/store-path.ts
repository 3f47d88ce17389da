import { homeAt } from '../../src/runtime.ts'
import { sqliteDriver } from '../../src/session.ts'

/** The store file of a home. */
export function storePath(home: string): string {
  return sqliteDriver.location(homeAt(home).data)
}
