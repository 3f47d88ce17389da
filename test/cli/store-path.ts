import { homeAt } from '../../src/runtime.ts'
import { storePath as pathInData } from '../../src/session.ts'

/** The store file of a home. */
export function storePath(home: string): string {
  return pathInData(homeAt(home).data)
}
