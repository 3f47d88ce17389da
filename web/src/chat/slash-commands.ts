import type { CommandList, ListedCommand } from '../api/commands.ts'
import { t } from '../language/language.ts'

/** Commands that are about the page itself. */
const pageCommands: readonly ListedCommand[] = [
  { name: 'new', argument: '[WORDS]', summary: t`start a new conversation`, shows: 'always' },
  { name: 'sessions', summary: t`go to another session`, shows: 'always' },
  { name: 'file', summary: t`attach files to the next message`, shows: 'always' },
  { name: 'help', summary: t`show all keys and commands`, shows: 'always' },
]

/** A command, a message, or an unknown command. */
export type Line =
  | { readonly type: 'message' }
  | { readonly type: 'command'; readonly command: ListedCommand; readonly argument: string }
  | { readonly type: 'unknown'; readonly name: string }

/** Every command, those of the page first; of two of one name the first counts. */
export function allCommands(list: CommandList | undefined): readonly ListedCommand[] {
  const own = new Set(pageCommands.map(({ name }) => name))
  return [...pageCommands, ...(list?.commands ?? []).filter(({ name }) => !own.has(name))]
}

/**
 * Reads a draft. A line that begins with a space or a path is a message, and so is one that the model itself acts on. An
 * unknown command is never sent as a message.
 */
export function readLine(text: string, list: CommandList | undefined, model: string | undefined): Line {
  const [, name, argument = ''] = /^\/([\p{L}\p{M}\p{N}_-]+)(?:\s+(.*))?$/su.exec(text.trimEnd()) ?? []
  if (name === undefined) return { type: 'message' }
  const command = allCommands(list).find((each) => isSame(each.name, name))
  if (command) return { type: 'command', command, argument: argument.trim() }
  const provider = model?.split('/', 1)[0]
  const acts = (list?.scripts ?? []).some((script) => script.provider === provider && script.words.includes(name))
  // Where the list cannot be had nothing is refused: the message cannot be sent then, either.
  return acts || list === undefined ? { type: 'message' } : { type: 'unknown', name }
}

/** What of a draft is a message: nothing of a command, or of one that is being typed. */
export function messageText(text: string, list: CommandList | undefined, model: string | undefined): string {
  return completions(text, list) === undefined && readLine(text, list, model).type === 'message' ? text : ''
}

/** The commands that complete what is being typed: `undefined` where no name of a command is. */
export function completions(text: string, list: CommandList | undefined): readonly ListedCommand[] | undefined {
  const [, typed] = /^\/([\p{L}\p{M}\p{N}_-]*)$/u.exec(text) ?? []
  if (typed === undefined) return undefined
  const found = allCommands(list).filter(({ name }) => name.toLowerCase().startsWith(typed.toLowerCase()))
  const isWhole = found.length === 1 && isSame(found[0]!.name, typed)
  return found.length === 0 || isWhole ? undefined : found
}

/** A phone begins a word with a capital. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** Whether it may run while a turn does. */
export function runsAtOnce({ shows }: ListedCommand, argument: string): boolean {
  return shows === 'always' || (shows === 'alone' && argument === '')
}

/** The command whose argument is being typed, and what is typed of it. */
export function typedArgument(text: string): { readonly name: string; readonly typed: string } | undefined {
  const [, name, typed] = /^\/([\w-]+) (\S*)$/.exec(text) ?? []
  return name === undefined || typed === undefined ? undefined : { name, typed }
}

/** Arguments that complete what is typed, each as the whole line. */
export function argumentCompletions(
  { name, typed }: { readonly name: string; readonly typed: string },
  options: readonly { readonly id: string; readonly name?: string }[],
): readonly ListedCommand[] | undefined {
  const wanted = typed.toLowerCase()
  const found = options
    .filter((option) => [option.id, option.name].some((word) => word?.toLowerCase().startsWith(wanted)))
    .map((option) => ({ name: `${name} ${option.id}`, summary: option.name ?? '' }))
  return found.length === 0 || (found.length === 1 && found[0]!.name === `${name} ${typed}`) ? undefined : found
}
