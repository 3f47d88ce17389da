import { noRequirements, type Requirements } from './requirements.ts'

/** What the frontmatter of a skill says: the fields of the Agent Skills standard. */
export interface Frontmatter {
  /** In NFC, on one line. */
  readonly name?: string
  /** Trimmed. */
  readonly description?: string
  readonly license?: string
  readonly compatibility?: string
  /** As it was written; a list is joined by blanks. */
  readonly allowedTools?: string
  readonly metadata: Readonly<Record<string, unknown>>
  /** `metadata.version`, as it was written. */
  readonly version?: string
  /** Of `metadata.requires`, and of what `metadata` holds for the agents that public skills are written for. */
  readonly requires: Requirements
}

/** Frontmatter, and what was wrong with it in sentences that name the field. */
export interface FrontmatterRead {
  readonly fields: Frontmatter
  readonly warnings: readonly string[]
}

export const noFrontmatter: Frontmatter = { metadata: {}, requires: noRequirements }
