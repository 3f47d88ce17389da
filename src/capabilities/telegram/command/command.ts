import type { Runtime } from '../../../capability.ts'
import type { Binding } from '../../../session.ts'

export interface ChatCommand {
  /** Without the slash, in lower case. */
  readonly name: string
  /** One line for `/help` and for the menu of the bot. */
  readonly summary: string
  readonly argument?: string
  /** Runs the command and returns the answer. The message of a `ForewordError` is the answer. */
  run(call: ChatCommandCall): Promise<string>
}

export interface ChatCommandCall {
  readonly runtime: Runtime
  readonly binding: Binding
  /** The text behind the name; `undefined` where there is none. */
  readonly argument: string | undefined
  /** Turns that the command ended before its place in the order of the chat came. */
  readonly endedAhead?: readonly string[]
}

export interface ParsedCommand {
  /** Without the slash, in lower case, with `_` for `-`: Telegram knows no other form. */
  readonly name: string
  readonly argument: string | undefined
}

/** `undefined` for a text that is no command, such as a path. */
export function parseCommand(text: string): ParsedCommand | undefined {
  const found = /^\/([\w-]+)(?:\s+(.*))?$/s.exec(text.trim())
  if (!found) return undefined
  const argument = found[2]?.trim()
  return { name: commandName(found[1]!), argument: argument === '' ? undefined : argument }
}

/** A name in the form that Telegram's menus and links accept. */
export function commandName(name: string): string {
  return name.toLowerCase().replaceAll('-', '_')
}
