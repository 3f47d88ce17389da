/**
 * A command that does more than its first words say. In it `OUT` is a folder beside the workspace, `PORT` that of a server on
 * loopback, and `PID` a process of the same user with a secret in its environment.
 */
export interface Escape {
  /** The prefix that an owner may have allowed, since it looks harmless. */
  readonly prefix: string
  /** As a model would write it for `shell`. */
  readonly command: string
  readonly why: string
}

/** Escapes that share a reason, as `prefix | rest of the command` a line. */
export function escapes(why: string, lines: string): readonly Escape[] {
  return lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const bar = line.indexOf(' | ')
      const prefix = line.slice(0, bar)
      return { prefix, command: `${prefix} ${line.slice(bar + 3)}`, why }
    })
}
