/** What a pigeon brings to the channel. */
export interface Letter {
  readonly number: number
  readonly conversation: string
  readonly text: string
}

/** A post of pigeons in memory: it keeps what was written, and brings a letter until somebody has taken it. */
export interface PigeonPost {
  readonly longest: number
  /** Brings letters from now on, first those that nobody took. A rejection is a letter that was not taken. */
  attach(take: (letter: Letter) => Promise<void>): void
  detach(): void
  /** Somebody writes. Resolves once the letter was taken. */
  write(letter: Letter): Promise<void>
  /** Puts a note into a conversation. Rejects while the post refuses. */
  send(conversation: string, text: string): Promise<string>
  /** Changes a note that stands there. */
  change(id: string, text: string): void
  notes(conversation: string): readonly string[]
  /** Takes so many notes and refuses others; `undefined` takes all. */
  fail(after: number | undefined): void
}

export function pigeonPost(longest: number): PigeonPost {
  const notes = new Map<string, { readonly conversation: string; text: string }>()
  const untaken = new Map<Letter, () => void>()
  let take: ((letter: Letter) => Promise<void>) | undefined
  let left: number | undefined

  async function bring(letter: Letter): Promise<void> {
    try {
      await take?.(letter)
      if (take) untaken.get(letter)?.()
    } catch {
      // It is brought again to whoever comes next.
    }
  }

  return {
    longest,
    attach(taker) {
      take = taker
      for (const letter of untaken.keys()) void bring(letter)
    },
    detach: () => (take = undefined),
    write: (letter) =>
      new Promise((resolve) => {
        untaken.set(letter, () => {
          untaken.delete(letter)
          resolve()
        })
        void bring(letter)
      }),
    async send(conversation, text) {
      if (text.length > longest) throw new Error('a pigeon cannot carry so much')
      if (left === 0) throw new Error('the pigeons are asleep')
      if (left !== undefined) left -= 1
      const id = `note-${notes.size + 1}`
      notes.set(id, { conversation, text })
      return id
    },
    change(id, text) {
      notes.get(id)!.text = text
    },
    notes: (conversation) =>
      [...notes.values()].flatMap((note) => (note.conversation === conversation ? [note.text] : [])),
    fail: (after) => (left = after),
  }
}
