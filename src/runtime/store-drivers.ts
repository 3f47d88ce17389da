import { sqliteDriver, type StoreDriver } from '../session.ts'

/** The stores that a configuration can name where a program gives no others. */
export const storeDrivers: readonly StoreDriver[] = [sqliteDriver]

/** What is wrong with the name of a store; `undefined` where there is one of this name. */
export function storeNameFault(name: string, names: readonly string[]): string | undefined {
  return names.includes(name) ? undefined : `must be one of ${names.join(', ')}`
}
