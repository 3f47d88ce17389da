import type { Runtime } from '../../../capability.ts'
import type { Binding } from '../../../session.ts'

/** Something that people ask of the bot itself: `/name`, perhaps with an argument. */
export interface ChatCommand {
  /** Without the slash, lowercase. */
  readonly name: string
  /** What stands behind it in the list of commands. */
  readonly summary: string
  readonly argument?: string
  /** Does it and answers what to say. A `RuntimeError` is told as it is. */
  run(call: CommandCall): Promise<string>
}

/** Where a command was given, and with what. */
export interface CommandCall {
  readonly runtime: Runtime
  readonly binding: Binding
  /** What stood behind the name; `undefined` where there was nothing. */
  readonly argument: string | undefined
  /** Turns that the command has ended already, before its time in the order of the chat. */
  readonly endedAhead?: readonly string[]
}

/** A slash word at the beginning of what somebody said. */
export interface AskedCommand {
  readonly name: string
  readonly argument: string | undefined
}

/** `undefined` for words that are none, such as a path. */
export function commandIn(text: string): AskedCommand | undefined {
  const found = /^\/(\w+)(?:\s+(.*))?$/s.exec(text.trim())
  if (!found) return undefined
  const argument = found[2]?.trim()
  return { name: found[1]!.toLowerCase(), argument: argument === '' ? undefined : argument }
}
