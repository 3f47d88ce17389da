/** What a person has prepared and not sent: it survives a reload, by session. */
export interface Draft {
  readonly text: string
  /** Ids of files that the gateway has. */
  readonly files: readonly string[]
  /** The model and choices of a session that is to begin. */
  readonly chosen: Readonly<Record<string, string>>
  /** A second model, which answers this message too. */
  readonly beside?: string | undefined
  /** The message that was sent without an answer. */
  readonly attempt: Attempt | undefined
}

/** The same message is sent under the same key until it is known to have arrived, so that it cannot arrive twice. */
export interface Attempt {
  readonly key: string
  readonly text: string
  readonly files: readonly string[]
  readonly beside?: string
  /** The session that was made for it. */
  readonly session?: string
}

export const emptyDraft: Draft = { text: '', files: [], chosen: {}, beside: undefined, attempt: undefined }

/** The draft as it was left; empty where there is none, or none that can be read. */
export function readDraft(session: string | undefined): Draft {
  try {
    const kept = JSON.parse(localStorage.getItem(draftKey(session)) ?? '{}') as Partial<Draft>
    return { ...emptyDraft, ...kept }
  } catch {
    return emptyDraft
  }
}

export function keepDraft(session: string | undefined, draft: Draft): void {
  const { text, files, chosen, beside, attempt } = draft
  const blank =
    text === '' && files.length === 0 && Object.keys(chosen).length === 0 && !beside && attempt === undefined
  try {
    if (blank) localStorage.removeItem(draftKey(session))
    else localStorage.setItem(draftKey(session), JSON.stringify(draft))
  } catch {
    // A full or forbidden storage must not keep a person from writing.
  }
}

/** The attempt to send this message: the one before, where the message is still the same. */
export function attemptOf({ text, files, beside, attempt }: Draft, newKey: () => string): Attempt {
  const isSame = attempt?.text === text && attempt.files.join() === files.join() && attempt.beside === beside
  return isSame ? attempt : { key: newKey(), text, files, ...(beside === undefined ? {} : { beside }) }
}

/** What a draft is kept under in the storage of the browser. */
export function draftKey(session: string | undefined): string {
  return `foreword-draft:${session ?? 'new'}`
}
