import type { LayoutChoice } from '../context.ts'

/**
 * Something that a session can choose, such as an agent or a subject: an id, kept in the log as an entry `choice` and in the
 * row of the session. Hosts make of it a key of `PATCH /api/sessions/:session`, an option and a slash command.
 */
export interface SessionChoice<Self> {
  /** One line for help and OpenAPI: `Id of the custom agent that answers.` */
  readonly summary: string
  /** What `null` or `none` means: `the default agent`. */
  readonly none: string
  /** An id may be several ids of the list, with commas between them. */
  readonly several?: boolean
  /** Checks that there is such a thing. Rejects with `not-found` or `invalid-input`. */
  check(self: Self, id: string): Promise<void>
  /** The id that a word of a person means: the id itself, a name, an unambiguous beginning. `check` decides where absent. */
  find?(self: Self, word: string): Promise<string>
  /** Everything that could be chosen, for lists and completion. */
  list?(self: Self): Promise<readonly ChoiceOption[]>
  /** The id of sessions that choose none. */
  usual?(self: Self): string | undefined
  /** What the choice changes about how a turn is answered, before its model is known. `undefined`: it is gone meanwhile. */
  preset?(self: Self, id: string): Promise<TurnPreset | undefined>
  /** Files can belong to what is chosen: how turns are given them. */
  readonly files?: ChoiceFiles
}

export interface ChoiceOption {
  readonly id: string
  /** As people call it; the id where absent. */
  readonly name?: string
  readonly summary?: string
}

/** What a choice decides about a turn. What is absent stays as the session or the configuration has it. */
export interface TurnPreset {
  /** `provider/model`. */
  readonly model?: string
  readonly layout?: LayoutChoice
  /** Names of the tools that may be offered, of those that are allowed; `*` at the end matches all that begin so. */
  readonly tools?: readonly string[]
  /** By the name of a capability: names of what it has that may be used; `*` at the end matches all that begin so. All where absent. */
  readonly only?: Readonly<Record<string, readonly string[]>>
  /** In place of the system prompt of the home. Blank: none is sent. */
  readonly system?: { readonly text: string; readonly ref: string }
}

/** How a turn is given the files that belong to what was chosen: a record of the kind that has the name of the choice. */
export interface ChoiceFiles {
  /**
   * Their texts are sent in full where they fit; otherwise, or always where false, they are read by tools. Of several such
   * choices of one session the first is sent.
   */
  readonly sent: boolean
  /** The tool that searches them. `offeredIn` is for the list of tools: `sessions that …`. */
  readonly search: { readonly name: string; readonly description: string; readonly offeredIn: string }
}
