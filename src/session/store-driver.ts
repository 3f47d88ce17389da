import { StoreError } from './store-error.ts'
import type { SessionStore } from './session-store.ts'

/**
 * One way to keep sessions, chosen by its name with the configuration key `store`. Nothing else in Foreword knows where
 * the store of a home is. `folder` is the data folder of a home everywhere.
 *
 * What is optional may be left out where a store has tools of its own for it: the command that needs it says so.
 */
export interface StoreDriver {
  /** What the configuration names it by, such as `sqlite`. */
  readonly name: string
  /**
   * Opens the store, makes it when missing, and brings it up to date. One process writes, any number may read at the same
   * time. The claim of the home keeps a second gateway away from the folder; a store that several homes could reach
   * refuses a second writer itself, with `claimed`.
   *
   * @throws StoreError `newer`, `older`, `corrupt`, `busy`, `claimed`, `readonly`, `not-found` (only when `readOnly`), `io`
   */
  open(options: OpenStoreOptions): Promise<SessionStore>
  /** Whether anything was ever written. */
  exists(folder: string): Promise<boolean>
  /** Where the store is, for people: the path of a file, or an address without secrets. */
  location(folder: string): string
  /** Whether a name in the folder is the store's own. A backup copies it with `snapshot` alone. */
  owns(name: string): boolean
  /** The first thing that is wrong with what is stored, in one sentence; `undefined` where it is whole. */
  findFault?(folder: string): Promise<string | undefined>
  /** Contents that something names by their hash, and that are missing. */
  findMissingContents?(folder: string): Promise<readonly MissingContent[]>
  /**
   * Writes the store as it is at one moment into `target`, beside a process that goes on writing. Replaces an earlier
   * snapshot there. Put into an empty data folder, the files of a snapshot are the store.
   */
  snapshot?(folder: string, target: string): Promise<StoreSnapshot>
  /**
   * Removes the contents that no entry, call, record, file or kept content names, and gives their space back to the disk.
   * For the one process that holds the home, while nothing else has the store open.
   */
  compact?(folder: string, onProgress: (text: string) => void): Promise<CompactedStore>
}

export interface OpenStoreOptions {
  readonly folder: string
  /** For a process that only reads, beside the one that writes. */
  readonly readOnly?: boolean
  /** Nothing is written: the store is an empty one that ends with the process. */
  readonly inMemory?: boolean
}

/** A content that something in the store names by its hash, and that is not there. */
export interface MissingContent {
  /** SHA-256, lowercase hexadecimal. */
  readonly hash: string
  /** One of the places that name it, such as `call call_1`. */
  readonly place: string
}

/** A store as it was at one moment, in files. */
export interface StoreSnapshot {
  /** Names in the folder of the snapshot. */
  readonly files: readonly string[]
  /** What is wrong with it, in one sentence; absent where it is whole. */
  readonly fault?: string | undefined
  /** SHA-256 of the bytes of each file that it names. */
  readonly fileHashes: readonly string[]
}

/** What a compaction took away. */
export interface CompactedStore {
  /** Contents that nothing named. */
  readonly contents: number
  /** Characters of their texts. */
  readonly characters: number
  /** SHA-256 of the bytes of each file that the store names. */
  readonly fileHashes: readonly string[]
}

/** What only some stores can do. */
export type StoreAbility = 'snapshot' | 'compact'

/** @throws StoreError `unsupported` where the store cannot do this */
export function ableTo<Ability extends StoreAbility>(
  driver: StoreDriver,
  ability: Ability,
): StoreDriver & Required<Pick<StoreDriver, Ability>> {
  if (driver[ability] === undefined) throw new StoreError('unsupported', `The store ${driver.name} ${CANNOT[ability]}`)
  return driver as StoreDriver & Required<Pick<StoreDriver, Ability>>
}

const CANNOT: Readonly<Record<StoreAbility, string>> = {
  snapshot: 'cannot be saved as files. Save it with its own tools, and copy the rest of the home.',
  compact: 'cannot be compacted from here. Use its own tools.',
}
