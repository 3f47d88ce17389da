/** Somebody that a person has made out of the assistant: its own prompt, its own tools (BEHAVIOURS §3.3). */
export interface CustomAgent {
  readonly id: string
  readonly name: string
  /** Blank: there is no layer of it; where it replaces the system prompt, none is sent. */
  readonly prompt: string
  /** `append`: the prompt stands beside the system prompt. `replace`: it is the system prompt. */
  readonly mode: 'append' | 'replace'
  /** Said again at the very end of every request. */
  readonly reminder?: string
  /** Names of the tools that it may use; one that ends in `*` stands for all that begin so. Absent: all that are allowed. */
  readonly tools?: readonly string[]
  /** `provider/model`, unless its session or the request chose one. */
  readonly model?: string
  /** Name of a layout; absent: as configured. */
  readonly layout?: string
}

/** Sessions that share instructions and files. */
export interface Project {
  readonly id: string
  readonly name: string
  /** What the default agent reads as if it were a custom agent's prompt; a custom agent keeps to its own. */
  readonly instructions: string
}
