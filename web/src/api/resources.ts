import type {
  CallPrice,
  ChoiceOption,
  CostReport,
  ForecastManifest,
  LayerHistory,
  LayerSources,
  ModelStatus,
  Preview,
  RebuiltRequest,
  RuntimeStatus,
  SessionNote,
  SessionNotes,
  UsageReport,
} from '../../../src/capability.ts'
import type { CallFigures } from '../../../src/context.ts'
import type { AuditRecord, AuditReport, CallOutcome, CallRecord, SessionFolder } from '../../../src/session.ts'
import useSWR, { type SWRResponse } from 'swr'
import { type ApiError, api } from './client.ts'
import type { ListedSession } from './listed-session.ts'

/** A resource of the gateway: read once for all components that show it, and again when the window gets the focus. */
export function useResource<Answer>(
  path: string | undefined,
  options?: Parameters<typeof useSWR<Answer, ApiError>>[2],
): SWRResponse<Answer, ApiError> {
  return useSWR<Answer, ApiError>(path, (address: string) => api<Answer>(address), options)
}

export interface SessionPage {
  readonly sessions: readonly ListedSession[]
}

/** A call as `GET /api/sessions/ID/calls` lists it. */
export interface ListedCall extends Pick<
  CallRecord,
  'id' | 'turn' | 'time' | 'model' | 'kind' | 'foreign' | 'outcome'
> {
  readonly layout: string
  readonly figures: CallFigures
}

export interface CallPage {
  readonly calls: readonly ListedCall[]
}

/** The manifest of a call with what its provider reported. */
export interface ReportedManifest extends ForecastManifest {
  readonly figures: CallFigures
  readonly reported?: NonNullable<CallOutcome['usage']>
  /** Absent where the price or the usage is not known. */
  readonly paid?: CallPrice
}

/** What a person can attach: `GET /api/setup`. */
export type { SetupOptions, SetupProvider } from '../../../src/capability.ts'

export type Status = Omit<RuntimeStatus, 'facts'> & RuntimeStatus['facts']

export interface ModelList {
  readonly models: readonly ModelStatus[]
}

/** Records of the audit: `GET /api/audit`. */
export interface AuditPage {
  readonly records: readonly AuditRecord[]
}

export type { AuditRecord, AuditReport }

/** What stands in the place of turns that were cut out: `GET /api/sessions/ID/notes`. */
export type { SessionNote, SessionNotes }

/** What money was spent on: `GET /api/costs`. */
export type { CostReport }

/** What calls used and cost: `GET /api/usage`. */
export type { UsageReport }

export type { LayerHistory, LayerSources, ListedSession, Preview, RebuiltRequest }

/** What a model would like to write into a file of a person, as `GET /api/proposals/ID` shows it. */
export interface ListedProposal {
  readonly id: string
  readonly file:
    | { readonly type: 'notes'; readonly subject: string }
    | { readonly type: 'taste'; readonly name: string }
  readonly digest: string
  readonly diff: string
  readonly state:
    | { readonly type: 'waiting' }
    | { readonly type: 'confirmed' | 'declined' | 'undone'; readonly by: string; readonly reason?: string }
}

/** What a session can choose besides its model. */
export interface ChoiceList {
  readonly choices: readonly {
    readonly name: string
    readonly summary: string
    readonly none: string
    /** An id may be several ids, with commas between them. */
    readonly several?: boolean
  }[]
}

/** `options` is absent where they cannot be listed. */
export interface OptionList {
  readonly options?: readonly ChoiceOption[]
}

export interface SessionFolders {
  readonly folders: readonly SessionFolder[]
}

export interface HistoryHits {
  readonly passages: readonly {
    readonly session: string
    readonly turn: string
    readonly seq: number
    readonly time: string
    readonly role: string
    readonly text: string
    /** Of a passage of a call. */
    readonly call?: { readonly id: string }
    /** Words of the text that were found, in lower case. */
    readonly hits: readonly string[]
  }[]
  readonly found: 'words' | 'nearest' | 'nothing'
}
