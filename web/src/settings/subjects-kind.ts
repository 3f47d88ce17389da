export interface ListedSubject {
  readonly id: string
  /** The first line of its brief. */
  readonly title: string
  readonly updated: string
  /** Waiting proposals about its notes. */
  readonly waiting: number
}

/** A subject with what is known of it: `GET /api/subjects/ID`. */
export interface Subject extends ListedSubject {
  readonly context: {
    readonly tastes: {
      readonly default: string
      readonly genres: Readonly<Record<string, string>>
      readonly conflicts: readonly { readonly point: string; readonly files: readonly string[] }[]
    }
    readonly brief: { readonly raw: string }
    readonly recent_log: readonly { readonly timestamp: string; readonly op: string; readonly details: object }[]
    readonly recent_gaps: readonly { readonly timestamp: string; readonly description: string }[]
  }
  readonly warnings: readonly string[]
}

export function subjectPath(id: string, what = ''): string {
  return `/api/subjects/${encodeURIComponent(id)}${what}`
}

export function subjectHref(id: string): string {
  return `/settings/subjects?id=${encodeURIComponent(id)}`
}
