/**
 * A document, or a part of one, as a tool found it: `meta.documents` of its result. Whoever runs the turn gives the numbers
 * and words the output (BEHAVIOURS §3.6); the model reads title, address and content, the person finds the rest.
 */
export interface FoundDocument {
  /** What makes it the same document: a file's id, or a URL. */
  readonly document: string
  readonly title: string
  readonly content: string
  readonly url?: string
  /** ISO 8601. */
  readonly updated?: string
  readonly metadata?: Readonly<Record<string, string | number>>
  /** Characters from the beginning of the document's text. */
  readonly start?: number
  readonly end?: number
  /** From 1. */
  readonly page?: number
  /** The headings above it, outermost first. */
  readonly headings?: readonly string[]
  readonly score?: number
}

/** What a search of files found: the parts of `meta` that say it. */
export interface FoundDocuments {
  readonly documents: readonly FoundDocument[]
  /** Why the search was not as good as it can be: `meta.degraded` of the result. */
  readonly degraded?: string
}
