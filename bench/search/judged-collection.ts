/** Documents, questions, and judgements about which documents answer them. */
export interface JudgedCollection {
  readonly name: string
  readonly documents: readonly { readonly id: string; readonly title: string; readonly text: string }[]
  readonly questions: readonly JudgedQuestion[]
}

export interface JudgedQuestion {
  readonly text: string
  /** The gain of each document that answers it, 1 or more. More is better. */
  readonly gains: ReadonlyMap<string, number>
}
