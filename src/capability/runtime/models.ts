import type { ModelFacts } from '../../model.ts'

/** A model as a person chooses it. */
export interface ModelStatus {
  readonly id: string
  readonly provider: string
  readonly ready: boolean
  /** Why it is not ready, and how to fix it. */
  readonly why?: string
  /** Tokens, where that is known without asking its server. */
  readonly window?: number
  readonly facts?: ModelFacts
  /** Chosen for sessions that say nothing else. */
  readonly current: boolean
  /** Learned from what the provider reported: reported ÷ estimated prompt tokens, and how many calls taught it. */
  readonly calibration?: { readonly counter: string; readonly ratio: number; readonly samples: number }
  /** Learned from one answer of its provider, and held for an hour: that it takes less than it is known for. */
  readonly limit?: LearnedLimit & { readonly sentence: string }
}

/** What an answer of a provider has shown of how much a model takes at present. Kept to what was proven, and not for long. */
export interface LearnedLimit {
  /** The window that the provider itself named, tokens. */
  readonly window?: number
  /** The most that a prompt may come to by our counter: one token less was not refused, or so much was read. Tokens. */
  readonly prompt?: number
  /** Which answer showed it: a refusal that named its limit, one that named none, or a report of fewer tokens than were sent. */
  readonly from: 'named-limit' | 'refused-size' | 'short-report'
  /** The call that was answered so. */
  readonly call?: string
  /** ISO 8601. After `until` the model is taken at its known window again. */
  readonly since: string
  readonly until: string
}

/** One model as a call would find it now. */
export interface ModelView {
  readonly id: string
  readonly facts: ModelFacts
  /** Prompt and answer together, tokens: what its server is known to take. */
  readonly window: number
  /** Room that is kept for an answer, tokens. */
  readonly reserve: number
}
