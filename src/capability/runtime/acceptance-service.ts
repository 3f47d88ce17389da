/**
 * What decides what a model may do, and became wider by other means than its owner's decision: it does not count until a person
 * accepts it. Methods reject with `RuntimeError`.
 */
export interface AcceptanceService {
  /** The policy first, then files, and definitions of tools. */
  waiting(): Promise<readonly WaitingChange[]>
  /** Accepts exactly what was shown. Rejects with `decided` where nothing of this name and digest waits. */
  accept(name: string, digest: string, by?: string): Promise<void>
}

export interface WaitingChange {
  /** `declaration`: files that declare tools. `prompt`: a file that a model reads as instructions. `tool`: a definition of a server. */
  readonly kind: 'policy' | 'declaration' | 'prompt' | 'tool'
  /** By which it is accepted: `tool-access.json`, the path of a file or folder, or the name of a tool. */
  readonly name: string
  /** SHA-256 of what would count after it is accepted. */
  readonly digest: string
  /** What it lets through, in sentences. */
  readonly words: readonly string[]
  /** From what was accepted to what waits, as a unified diff. */
  readonly difference: string
}
