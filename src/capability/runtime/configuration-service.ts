import type { FileVersion } from './access-service.ts'

/** `config.json` for capabilities whose settings change while the gateway runs. Methods reject with `RuntimeError`. */
export interface ConfigurationService {
  /** One key as the file and the environment have it now. */
  value(key: readonly string[]): Promise<ConfigurationEntry>
  /** What the file would be with another value. Writes nothing. */
  preview(key: readonly string[], value: unknown): Promise<ConfigurationPreview>
  /**
   * Sets a key; `undefined` removes it. Keeps the value before under `kept`, the key that the change is about, and records
   * the change in the audit. Rejects with `changed` where the file is not the one that was read, and with `invalid-input`.
   */
  set(change: ConfigurationChange): Promise<void>
  /** Values that a key has had, as JSON, newest first. */
  versions(key: readonly string[]): Promise<readonly FileVersion[]>
}

export interface ConfigurationEntry {
  /** As the file has it; `undefined` where it does not. */
  readonly written: unknown
  /** In force at the next start: with the environment and every default, paths absolute. */
  readonly effective: unknown
  readonly digest: string
}

export interface ConfigurationPreview {
  readonly digest: string
  /** Unified; empty where nothing would change. */
  readonly difference: string
  /** Why the file cannot be so: each with its key and how to fix it. */
  readonly problems: readonly string[]
}

export interface ConfigurationChange {
  readonly key: readonly string[]
  readonly value: unknown
  /** The key whose values are kept: `key` itself, or one above it. */
  readonly kept: readonly string[]
  readonly digest: string
  readonly by?: string
}

/** How everything is read again. */
export interface ReloadOptions {
  /** Heads are composed again at the next call, and not only where a prompt cache loses nothing by it. */
  readonly now?: boolean
  /** Only of this session. All that were active in the last day where absent. */
  readonly session?: string
}

/** What reading again found. */
export interface ReloadResult {
  readonly warnings: readonly string[]
  /** Sessions whose head is composed again, with `now`. */
  readonly folded?: readonly FoldedSession[]
}

/** A session whose head is composed again at its next call, and what that costs as far as it is known. */
export interface FoldedSession {
  readonly session: string
  /** Tokens that the provider's cache had, and that are sent again. */
  readonly tokens?: number
  /** How much more the next call costs, US dollars. Below zero where a cut makes it cheaper. */
  readonly money?: number
  /** What the next call leaves out for a note, since a nearly full prompt is cut where its head is composed again. */
  readonly cut?: { readonly turns: number; readonly tokens: number }
}
