import type {
  AnyMessage,
  CallFigures,
  Forecast,
  ForecastRange,
  Manifest,
  ScenarioChanges,
  Origin,
  ToolDefinition,
} from '../../context.ts'
import type { CallRecord } from '../../session.ts'

/** A request in canonical order. */
export interface RequestView {
  readonly tools: readonly ToolDefinition[]
  readonly system?: string
  readonly messages: readonly AnyMessage[]
}

/** A call that is not made. What is not named is the session's, or that of a new one. */
export interface PreviewOptions {
  readonly session?: string
  readonly input?: string
  readonly model?: string
  readonly system?: string
  readonly choices?: Readonly<Record<string, string>>
  /** Ids of files that come with the message, as in `SubmitInput`. Those that are still being read are waited for. */
  readonly attachments?: readonly string[]
}

/** A call that is not made, as a scenario. */
export interface ScenarioOptions extends PreviewOptions {
  /** So much of the history, tokens, whatever was cut: to try a larger window. What the next call reads unless given. */
  readonly history?: number
}

/** The next call, as it is or with other settings. */
export interface TriedOptions extends ScenarioOptions {
  /** What is tried; another model is named by `model`. Nothing of it is kept. */
  readonly changes?: Omit<ScenarioChanges, 'model'>
}

/** Which calls are looked at, and for what. */
export interface LayerHistoryOptions {
  /** Absent: calls of all sessions, and those that belong to none. */
  readonly session?: string
  /** The newest so many. 200 unless given. */
  readonly limit?: number
  /** Only layers that come from here, such as `agent/ID`: the `ref` of their origin. */
  readonly origin?: string
  /** Only this section of the text: the name in a heading `## NAME`. A version is what changed it. */
  readonly part?: string
}

/** What can be asked for a history: the layers of the newest calls. */
export interface LayerSources {
  readonly calls: number
  /** In the order of the newest call that had each. */
  readonly sources: readonly LayerSource[]
}

/** A layer, where it comes from, and the named sections of its text. */
export interface LayerSource {
  readonly layer: string
  readonly id: string
  readonly origin?: Origin
  readonly parts: readonly string[]
}

/** How a layer changed from call to call. */
export interface LayerHistory {
  readonly layer: string
  readonly calls: number
  /** Newest first. */
  readonly versions: readonly LayerVersion[]
}

/** A layer as several calls were given it. */
export interface LayerVersion {
  readonly id: string
  readonly layer: string
  /** SHA-256 of the layer with all its forms, or of the section that was asked for. */
  readonly digest: string
  /** Its fullest form, or the section. */
  readonly text: string
  readonly origin?: Origin
  /** Newest first. `form` and `tokens` as the call sent it; no form where it was left out. */
  readonly readers: readonly {
    readonly call: string
    readonly session?: string
    /** ISO 8601. */
    readonly time: string
    readonly form?: string
    readonly tokens: number
  }[]
}

/** The next call as it would be made now. */
export interface Preview {
  readonly model: string
  readonly request: RequestView
  readonly manifest: ForecastManifest
  readonly figures: CallFigures
  /** Absent where the model has no price. */
  readonly cost?: ForecastRange
  readonly free?: boolean
}

/** The account of a call with what was known of its cost before it was made. */
export interface ForecastManifest extends Manifest {
  /** Tokens as the provider is expected to count them, and US dollars where the price is known. */
  readonly forecast?: Forecast
  /** Against the session's call before this one: what a prompt cache can reuse, tokens, and where the change begins. */
  readonly reuse?: {
    readonly tokens: number
    /** Behind the first change: what was sent before, too, and is sent again. */
    readonly again?: number
    readonly firstChange?: { readonly id: string; readonly slot: string; readonly cause: string; readonly why?: string }
  }
  /** Why another model than the one that was wanted is called, and what that changes. */
  readonly fallback?: { readonly wanted: string; readonly sentence: string }
}

/** What is built of an earlier call. */
export interface RebuildOptions {
  readonly body?: boolean
}

/** An earlier call, built again. */
export interface RebuiltRequest {
  readonly call: CallRecord
  readonly request: RequestView
  readonly digest: string
  readonly identical: boolean
  /** The body that left, made again. Absent where none left. */
  readonly wire?: BodyComparison
  /** That body, where it was asked for. It has no key of a provider: those are sent in headers. */
  readonly body?: string
}

/** What became of making the body of an earlier call again. Digests are SHA-256. */
export type BodyComparison =
  | { readonly state: 'identical'; readonly expected: string; readonly got: string }
  | { readonly state: 'different'; readonly expected: string; readonly got: string }
  /** It cannot be made now: another version of Foreword recorded the call, its model is out of reach, an image is gone. */
  | { readonly state: 'unknown'; readonly expected: string; readonly why: string }

/** All calls of a session, built again. */
export interface Replay {
  readonly session: string
  readonly calls: number
  readonly identical: number
  readonly different: readonly ReplayDifference[]
  /** The bodies that left for a provider, made again. Absent where none left. */
  readonly wires?: {
    readonly identical: number
    readonly different: readonly { readonly call: string; readonly expected: string; readonly got: string }[]
    readonly unknown: readonly { readonly call: string; readonly why: string }[]
  }
}

/** A call that is not rebuilt as it was. `problem`: a content that it needs is gone; then `got` is empty. */
export interface ReplayDifference {
  readonly call: string
  readonly expected: string
  readonly got: string
  readonly problem?: string
}
