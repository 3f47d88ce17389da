/** A document as the model reads it. What a person is shown of it is a record of its own. */
export interface PromptDocument {
  readonly citation: number
  readonly title: string
  readonly contents: string
  readonly metadata?: string
}

/** A result of a search, or a page that was opened, as the model reads it. */
export interface PromptResult {
  readonly citation: number
  readonly title: string
  readonly url?: string
  /** ISO 8601. */
  readonly updated?: string
  readonly content: string
  readonly metadata?: string
}

/** The documents of a project, all of them in full (BEHAVIOURS §3.6). */
export function documentsText(documents: readonly PromptDocument[]): string {
  const records = documents.map(({ citation, title, contents, metadata }) =>
    record({ citation_id: citation, title, contents, metadata }),
  )
  return `Here are some documents provided for context, they may not all be relevant:\n${list('documents', records)}`
}

/** What a search, a search of the web or an opened page answers (BEHAVIOURS §3.6). */
export function resultsText(results: readonly PromptResult[]): string {
  const records = results.map(({ citation, title, url, updated, content, metadata }) =>
    record({ citation_id: citation, title, url, updated_at: updated, content, metadata }),
  )
  return list('results', records)
}

/** JSON, with a space behind colons and commas as models know it. Text that is not ASCII stays as it is. */
function list(name: string, records: readonly string[]): string {
  return `{"${name}": [${records.join(', ')}]}`
}

/** Keys in the order given; what is `undefined` is left out. */
function record(fields: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return `{${given.map(([key, value]) => `"${key}": ${JSON.stringify(value)}`).join(', ')}}`
}
