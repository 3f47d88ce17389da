import { sqliteDriver, type StoreDriver } from '../session.ts'

/** The stores that a configuration can name where a program gives no others. */
export const storeDrivers: readonly StoreDriver[] = [sqliteDriver]

export const storeNames: readonly string[] = storeDrivers.map(({ name }) => name)
