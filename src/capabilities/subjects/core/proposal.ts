import type { SubjectFile } from './subjects.ts'

/**
 * What a model would like to write and a person has to confirm. It survives a restart and is used once (BEHAVIOURS
 * §4).
 */
export interface Proposal {
  readonly id: string
  /** ISO 8601. */
  readonly time: string
  readonly file: SubjectFile
  /** What is added at the end of the file. */
  readonly content: string
  /** Only of tastes. */
  readonly category?: TasteCategory
  /** SHA-256 over the file, the content and the category: a decision applies to exactly that. */
  readonly digest: string
  /** Unified diff. While it waits: against the file as it is now. Afterwards: what was done. */
  readonly diff: string
  readonly by: ProposalSource
  readonly state: ProposalState
}

export type TasteCategory = 'appearance' | 'process' | 'value'

export interface ProposalSource {
  readonly session?: string
  readonly turn?: string
  readonly toolCallId?: string
  readonly tool: string
  /** The program that asked over MCP, by its own name. */
  readonly client?: string
}

export type ProposalState =
  | { readonly type: 'waiting' }
  /** `by`: over which interface, such as `cli`, `http` or `mcp`. */
  | { readonly type: 'confirmed'; readonly by: string; readonly time: string }
  | { readonly type: 'declined'; readonly by: string; readonly time: string; readonly reason?: string }
  | { readonly type: 'undone'; readonly by: string; readonly time: string }

export type ProposalDraft =
  | { readonly type: 'notes'; readonly subject: string; readonly content: string }
  | { readonly type: 'taste'; readonly name: string; readonly content: string; readonly category: TasteCategory }

/** A person's word on a proposal. `digest` has to be the one of what was shown. */
export interface ProposalDecision {
  readonly type: 'confirm' | 'decline'
  readonly digest: string
  readonly by: string
  readonly reason?: string
}

/** Rejects with `SubjectError`: `not-found`, `decided`, `changed`, `invalid-input`, `unwritable`. */
export interface Proposals {
  /** On disk when it resolves. The very same draft, still waiting, is answered again and not stored twice. */
  propose(draft: ProposalDraft, by: ProposalSource): Promise<Proposal>
  /** Oldest first; all proposals, or those in one state. */
  list(options?: { readonly state?: ProposalState['type'] }): Promise<readonly Proposal[]>
  /** Files that waiting proposals would change, oldest first; computes no difference. */
  waiting(): Promise<readonly SubjectFile[]>
  get(id: string): Promise<Proposal>
  decide(id: string, decision: ProposalDecision): Promise<Proposal>
  /** Reverts a confirmed proposal. Edits that people made since stay; where they cannot be separated, rejects with `changed`. */
  undo(id: string, by: string): Promise<Proposal>
}

/** Whether every line that would be added is in the diff. One of a great change, or beside very long lines, is cut. */
export function diffShowsAll({ diff, content }: Pick<Proposal, 'diff' | 'content'>): boolean {
  const shown = new Set(diff.split(/\r?\n/))
  return content.split(/\r\n|\n|\r/).every((line) => shown.has(`+${line}`))
}
