export type {
  Binding,
  CallOutcome,
  CallRecord,
  Entry,
  EntryBody,
  EntryType,
  InputOptions,
  TokenCounts,
  TurnOutcome,
  Usage,
} from './session/entry.ts'
export type {
  EntriesOptions,
  RecentTurns,
  RecentTurnsOptions,
  SessionRow,
  SessionStore,
  TurnRow,
} from './session/store.ts'
