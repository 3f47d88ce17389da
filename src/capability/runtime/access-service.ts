import type {
  Access,
  AccessRead,
  AccessRule,
  AccessState,
  CommandPreset,
  ToolAccessChange,
  WidenedAccess,
} from '../../tool.ts'

/** `tool-access.json` for a person who changes it. Methods reject with `RuntimeError`. */
export interface AccessService {
  /** The policy that counts: what the file allows beyond what was accepted is not in it. Never rejects. */
  inForce(): Promise<AccessRead>
  view(): Promise<AccessView>
  /** What the file would be, and what it would let through that it does not now. Writes nothing. */
  preview(draft: AccessPreviewOptions): Promise<AccessPreview>
  /**
   * Writes the file, keeps the text before, and records the change in the audit. Rejects with `changed` where the file is not
   * the one that was read, or where it would let through something else than what was shown; with `invalid-input` where the
   * gateway could not read it.
   */
  save(change: AccessChange): Promise<AccessView>
  /** Contents that the file has had, newest first. */
  versions(): Promise<readonly FileVersion[]>
}

export interface AccessView {
  /** Of the file, absolute. */
  readonly path: string
  /** Empty where there is no file. */
  readonly text: string
  readonly digest: string
  /** Why nothing may run, with the line and how to fix it. Empty where the file can be read. */
  readonly problems: readonly string[]
  /** Environment variables that override the file. */
  readonly overrides: readonly string[]
  readonly rules: readonly AccessRule[]
  /** Presets of commands that there are, in the policy or not. */
  readonly presets: readonly AccessPreset[]
  /** The settings of the text, with every default; absent where it cannot be read. */
  readonly policy?: AccessPolicy
  /** The settings that count, where the file lets through more than was accepted. Absent where nothing waits. */
  readonly inForce?: AccessPolicy
}

export interface AccessPreset extends Pick<CommandPreset, 'name' | 'allows' | 'leaves'> {
  /** What its commands begin with. */
  readonly commands: readonly string[]
  readonly isAllowed: boolean
}

export interface AccessPolicy extends Pick<Access['global'], 'enabled' | 'mode'> {
  readonly shell: Pick<Access['shell'], 'enabled' | 'mode' | 'approval' | 'allowAnyCwd'>
}

/** A file that was not written yet. */
export interface AccessPreviewOptions {
  /** Default: the text of the file. */
  readonly text?: string | undefined
  /** Changes of that text, in their order. */
  readonly steps?: readonly AccessStep[] | undefined
  /** A call to decide about before and after. */
  readonly trial?: AccessTrial | undefined
}

/** A change by form. A name can end in `*`; a path has a name for each level, and a number for an item of a list. */
export type AccessStep =
  | { readonly do: 'allow'; readonly name: string }
  | { readonly do: 'deny'; readonly name: string }
  | { readonly do: 'set'; readonly path: readonly string[]; readonly value: unknown }
  | { readonly do: 'append'; readonly path: readonly string[]; readonly value: unknown }
  | { readonly do: 'remove'; readonly path: readonly (string | number)[] }

export interface AccessTrial {
  readonly tool: string
  /** Of `shell`: what it would be called with. */
  readonly command?: string | undefined
}

export interface AccessPreview extends Omit<AccessView, 'digest'> {
  /** Of the file as it is now. */
  readonly digest: string
  /** From the file to the draft, as a unified diff; empty where they are the same. */
  readonly difference: string
  /** Tools whose access or rule would be another one. */
  readonly changes: readonly ToolAccessChange[]
  /** What would be let through that is not now. */
  readonly widens: readonly WidenedAccess[]
  /** SHA-256 of everything that this preview shows of the change: what `save` has to be given. */
  readonly shown: string
  /** The decisions about the trial, now and after the change. */
  readonly trial?: { readonly before: TrialAnswer; readonly after: TrialAnswer }
}

export interface TrialAnswer {
  readonly access: AccessState
  readonly rule: string
  readonly reason?: string
}

export interface AccessChange {
  readonly text: string
  /** Of the file that was read. */
  readonly digest: string
  /** Of the preview that a person saw. */
  readonly shown: string
  readonly by?: string
}

export interface FileVersion {
  readonly version: number
  /** ISO 8601: when it was written, or first seen. */
  readonly time: string
  readonly text: string
}
