/** A document as the model reads it, key by key. What a person is shown of it is a record of its own. */
interface PromptDocument {
  readonly citation_id: number
  readonly title: string
  readonly contents: string
  readonly metadata?: PromptMetadata
}

/** A result of a search, or a page that was opened, as the model reads it, key by key. */
interface PromptResult {
  readonly citation_id: number
  readonly title: string
  readonly url?: string
  /** ISO 8601. */
  readonly updated_at?: string
  readonly content: string
  readonly metadata?: PromptMetadata
}

/** What else is worth a model's while: words, or facts by name in the order given. */
type PromptMetadata = string | Readonly<Record<string, string | number>>

/** The documents of a project, all of them in full (BEHAVIOURS §3.6). */
export function documentsText(documents: readonly PromptDocument[]): string {
  const records = documents.map(({ citation_id, title, contents, metadata }) =>
    object({ citation_id, title, contents, metadata }),
  )
  return `Here are some documents provided for context, they may not all be relevant:\n${list('documents', records)}`
}

/**
 * The result of a search, a web search or an opened page (BEHAVIOURS §3.6). `degraded` names what kept the search from
 * being complete, so that a missing result is not taken for one that does not exist.
 */
export function resultsText(results: readonly PromptResult[], degraded?: string): string {
  const records = results.map(({ citation_id, title, url, updated_at, content, metadata }) =>
    object({ citation_id, title, url, updated_at, content, metadata }),
  )
  return list('results', records, degraded === undefined ? '' : `, "degraded": ${JSON.stringify(degraded)}`)
}

/** JSON, with a space behind colons and commas. Text that is not ASCII stays as it is. */
function list(name: string, records: readonly string[], more = ''): string {
  return `{"${name}": [${records.join(', ')}]${more}}`
}

/** Keys in the order given; what is `undefined` is left out. */
function object(fields: Readonly<Record<string, number | PromptMetadata | undefined>>): string {
  const members = Object.entries(fields).flatMap(([key, value]) => {
    if (value === undefined) return []
    return [`${JSON.stringify(key)}: ${typeof value === 'object' ? object(value) : JSON.stringify(value)}`]
  })
  return `{${members.join(', ')}}`
}

/**
 * A document, or a part of one, as a tool found it: `meta.documents` of its result. The runtime of the turn gives the numbers
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

/** A document that was given a number in a turn, as a person finds it: all that is known of it but its words. */
export interface CitedSource extends Omit<FoundDocument, 'content' | 'metadata'> {
  /** Its number in the turn, from 1. */
  readonly citation: number
}

/** The parts of a tool result's `meta` that list what a search found. */
export interface FoundDocuments {
  readonly documents: readonly FoundDocument[]
  /** Why the search was not as good as it can be: `meta.degraded` of the result. */
  readonly degraded?: string
}
