import { StoreError } from './store-error.ts'
import type { SessionStore } from './session-store.ts'

/**
 * One kind of store, chosen by its name with the configuration key `store`. Nothing else in Foreword knows where the store
 * of a home is. `folder` is always the data folder of a home.
 *
 * A driver may leave out an optional method where its store has tools of its own; the command that needs it reports that.
 */
export interface StoreDriver {
  /** Its name in the configuration, such as `sqlite`. */
  readonly name: string
  /**
   * Opens the store, creates it when missing, and brings it up to date. One process writes, any number may read at the same
   * time. The claim of the home prevents a second gateway on the folder; a store that several homes can reach refuses a
   * second writer itself, with `claimed`.
   *
   * @throws StoreError `newer`, `older`, `corrupt`, `busy`, `claimed`, `readonly`, `not-found` (only when `readOnly`), `io`
   */
  open(options: OpenStoreOptions): Promise<SessionStore>
  /** Whether the store was ever written. */
  exists(folder: string): Promise<boolean>
  /** The location of the store for people: the path of a file, or an address without secrets. */
  location(folder: string): string
  /** Whether a name in the folder belongs to the store. A backup copies such files only with `snapshot`. */
  owns(name: string): boolean
  /** The first fault of the store, in one sentence; `undefined` where it has none. */
  findFault?(folder: string): Promise<string | undefined>
  /** Contents that are referenced by their hash and missing. */
  findMissingContents?(folder: string): Promise<readonly MissingContent[]>
  /**
   * Writes a consistent snapshot of the store into `target`, while another process may continue to write. Replaces an
   * earlier snapshot there. Copied into an empty data folder, the files of a snapshot are the store.
   */
  snapshot?(folder: string, target: string): Promise<StoreSnapshot>
  /**
   * Removes the contents that no entry, call, record, file or other content references, and returns their space to the
   * disk. For the process that holds the home, while nothing else has the store open.
   */
  compact?(folder: string, onProgress: (text: string) => void): Promise<CompactedStore>
}

/** How a driver opens its store. */
export interface OpenStoreOptions {
  readonly folder: string
  /** For a process that only reads, while another one writes. */
  readonly readOnly?: boolean
  /** An empty store in memory that ends with the process. */
  readonly inMemory?: boolean
}

/** A content that the store references by its hash and does not have. */
export interface MissingContent {
  /** SHA-256, lowercase hexadecimal. */
  readonly hash: string
  /** One of the places that reference it, such as `call call_1`. */
  readonly place: string
}

/** A snapshot of a store, in files. */
export interface StoreSnapshot {
  /** Names in the folder of the snapshot. */
  readonly files: readonly string[]
  /** The first fault of the snapshot, in one sentence; absent where it has none. */
  readonly fault?: string | undefined
  /** SHA-256 of the bytes of each file in it. */
  readonly fileHashes: readonly string[]
}

/** What a compaction removed. */
export interface CompactedStore {
  /** The number of unreferenced contents. */
  readonly contents: number
  /** Characters of their texts. */
  readonly characters: number
  /** SHA-256 of the bytes of each file in the store. */
  readonly fileHashes: readonly string[]
}

/** The optional abilities of a store. */
export type StoreAbility = 'snapshot' | 'compact'

/**
 * Checks that a driver has an optional ability, and returns it with that type.
 *
 * @throws StoreError `unsupported` where it does not
 */
export function requireAbility<Ability extends StoreAbility>(
  driver: StoreDriver,
  ability: Ability,
): StoreDriver & Required<Pick<StoreDriver, Ability>> {
  if (driver[ability] === undefined) throw new StoreError('unsupported', `The store ${driver.name} ${CANNOT[ability]}`)
  return driver as StoreDriver & Required<Pick<StoreDriver, Ability>>
}

const CANNOT: Readonly<Record<StoreAbility, string>> = {
  snapshot: 'cannot be saved as files. Back it up with its own tools, and copy the rest of the home.',
  compact: 'cannot be compacted from here. Use its own tools.',
}
