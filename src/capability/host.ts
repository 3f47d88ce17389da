import type { ServiceKey } from './service.ts'
import type { Layout, TokenCounter } from '../context.ts'
import type { Clock } from '../platform.ts'
import type { EmbedderKind } from '../search.ts'
import type { FileOwner, FileRow, SessionStore } from '../session.ts'
import type { AccessRead, Sandbox } from '../tool.ts'
import type { PairedChat, PairingCode } from './runtime/pairings.ts'
import type { RecordKind, Records } from './records.ts'
import type { Runtime } from './runtime/runtime.ts'
import type { SessionChoice } from './session-choice.ts'

/** What an open home gives a capability. */
export interface CapabilityHost<Settings = undefined> {
  readonly settings: Settings
  /** The home, its folder for data and the workspace of tools: absolute paths. */
  readonly home: { readonly folder: string; readonly data: string; readonly workspace: string }
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Of Foreword. */
  readonly version: string
  /** As configured; a turn may have another. */
  readonly layout: Layout
  /** The layouts of Foreword and those of capabilities, by name. */
  readonly layouts: Readonly<Record<string, Layout>>
  readonly counter: TokenCounter
  /** IANA name of the owner's time zone. */
  readonly timeZone: string
  readonly clock: Clock
  readonly store: SessionStore
  /** `false`: the home is open beside a process that works on it. Nothing is written, no other program or server is started. */
  readonly writes: boolean
  /** This process is the gateway of the home: channels are open, and what is due happens here. `false`: it runs a command. */
  readonly listens: boolean
  /** The current content of `tool-access.json`. */
  access(): Promise<AccessRead>
  /** Takes the secrets that are known out of a text that is kept or shown. */
  redact(text: string): string
  /** Confines the programs that tools run. */
  readonly sandbox: Sandbox
  /** The gateway. Its methods may be called once every capability has started. */
  readonly runtime: Runtime
  /** What another capability returned from `start`; `undefined` where it is not in the list or has not started yet. */
  capability<Service>(key: ServiceKey<Service>): Service | undefined
  /** Settings of another capability; `undefined` where it is not in the list. */
  settingsOf(name: string): unknown
  readonly choices: Readonly<Record<string, Omit<SessionChoice<never>, 'check' | 'find' | 'list' | 'usual' | 'preset'>>>
  readonly embedders: readonly EmbedderKind[]
  places(): Required<CapabilityPlaces>
  /** Values that people make, change, remove and bring back; every version is kept. */
  records<Value>(kind: RecordKind<Value>): Records<Value>
  /** In the home of a person: what the owner of the gateway shares. Absent: it is no such home. */
  readonly ofOwner?: OfOwner | undefined
  /** A sentence for the operator: shown at the start and in the status. */
  warn(text: string): void
}

/** What of the home of the owner counts in that of a person. */
export interface OfOwner {
  /** The files of a record as they are now; `undefined`: it is not shared. */
  files(owner: FileOwner): Promise<readonly FileRow[] | undefined>
  bytes(row: FileRow): AsyncIterable<Uint8Array>
  text(row: FileRow): Promise<string | undefined>
  /** The chats of channels that talk to this home. */
  chats(): Promise<readonly PairedChat[]>
  /** A code that pairs a chat with this home. Rejects with RuntimeError `forbidden` for a guest. */
  newCode(channel: string): Promise<PairingCode>
  /** Ends the pairing of one of these chats. Returns whether it was paired. */
  unpair(channel: string, chat: string): Promise<boolean>
  /** What a capability keeps there under a key, for what the owner decides for everybody. */
  value(key: string): Promise<unknown>
  /** How much this person may use, as it is now. */
  room(): PersonRoom
}

/** How much one person may use; as much as there is where a limit is absent. */
export interface PersonRoom {
  readonly maxFiles?: number | undefined
  /** Of all files together. */
  readonly maxFileBytes?: number | undefined
  /** Of everything in the workspace. */
  readonly maxWorkspaceBytes?: number | undefined
  /** Files that are read at once. */
  readonly readersAtOnce?: number | undefined
}

export interface CapabilityPlaces {
  readonly outOfReach?: readonly string[]
  readonly readOnly?: readonly string[]
  readonly readable?: readonly string[]
  readonly programs?: readonly string[]
}
