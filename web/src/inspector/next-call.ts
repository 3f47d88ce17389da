/** The input of the next call. */
export interface NextCall {
  /** Whether everything here was read, or cannot be: what is asked before that is asked once more. */
  readonly isKnown: boolean
  /** Absent: a new one. */
  readonly session: string | undefined
  readonly draft: string
  /** Ids of files that go with it. */
  readonly attachments: readonly string[]
  /** The model that will answer, as far as it is known: the one of the home may be set while this is on the screen. */
  readonly model: string | undefined
  /** A second model, which answers the message too. */
  readonly beside?: string | undefined
  /** The model and the choices of the session, by name. */
  readonly chosen: Readonly<Record<string, string>>
  /** The turn that the next one follows. */
  readonly head: string | undefined
  /** Changes when a turn has ended, and with it the next call. */
  readonly settledTurns: number
}

/** The body that asks the gateway about it. A session that there is knows its choices. */
export function nextCallBody({ session, draft, attachments, chosen }: NextCall): object {
  return {
    ...(session === undefined ? chosen : { session }),
    ...(draft.trim() === '' ? {} : { input: draft }),
    ...(attachments.length === 0 ? {} : { attachments }),
  }
}

/** Equal for two calls that read the same. */
export function nextCallKey(next: NextCall): string {
  return JSON.stringify([nextCallBody(next), next.model, next.beside, next.chosen, next.head, next.settledTurns])
}
