/** Documents, questions, and what people (or whoever wrote the questions) said is an answer. */
export interface JudgedCollection {
  readonly name: string
  readonly documents: readonly { readonly id: string; readonly title: string; readonly text: string }[]
  readonly questions: readonly JudgedQuestion[]
}

export interface JudgedQuestion {
  readonly text: string
  /** Gain of each document that answers it, 1 or more: more is better. */
  readonly gains: ReadonlyMap<string, number>
}
