import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command, CommandCall, CommandOption, Io } from '../capability.ts'
import { nearestHint } from '../platform.ts'
import { usageFailure, usageText } from './failure.ts'

/** Parses the arguments of a command. Throws a usage failure that names the nearest option. */
export function readArguments(command: Command, args: readonly string[], io: Io): CommandCall {
  const known: Readonly<Record<string, CommandOption>> = { ...command.options, ...commonOptions }
  // An import would load all of `node:util`, 2 ms before every command.
  const { tokens } = process.getBuiltinModule('node:util').parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(known).map(([name, option]) => [
        name,
        {
          type: option.value === undefined ? ('boolean' as const) : ('string' as const),
          ...(name === 'help' ? { short: 'h' } : {}),
        },
      ]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const words: string[] = []
  const values = new Map<string, readonly string[]>()
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const value = optionValue(command, known, token)
    values.set(token.name, [...(values.get(token.name) ?? []), value])
  }
  const call: CommandCall = {
    words,
    home: homeDirectory(values.get('home')?.at(-1), io.environment),
    json: values.has('json'),
    text: (option) => values.get(option)?.at(-1),
    texts: (option) => values.get(option) ?? [],
    has: (option) => values.has(option),
  }
  if (!call.has('help')) assertWords(command, words)
  return call
}

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

function optionValue(command: Command, known: Readonly<Record<string, CommandOption>>, token: OptionToken): string {
  const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined
  if (option === undefined) throw unknownOption(command, Object.keys(known), token.rawName)
  if (option.value === undefined) {
    if (token.value === undefined) return ''
    throw usageFailure(`${token.rawName} accepts no value.`, `Write \`${token.rawName}\` alone.`)
  }
  const swallowed = token.inlineValue === false && token.value?.startsWith('-') === true && token.value !== '-'
  if (token.value !== undefined && (token.value !== '' || option.mayBeEmpty) && !swallowed) return token.value
  throw usageFailure(
    `${token.rawName} needs a value.`,
    `Write \`${token.rawName} ${option.value}\`, or \`${token.rawName}=${option.value}\` for a value that begins with a dash.`,
  )
}

function unknownOption(command: Command, known: readonly string[], written: string) {
  const all = `List the options with \`foreword ${command.name} --help\`. Write text that begins with a dash after \`--\`.`
  const hint = nearestHint(written.replace(/^-+/, ''), known, all, (near) => `--${near}`)
  return usageFailure(`Unknown option ${written}.`, hint)
}

/** Throws a usage failure where a command has too few words, or too many. */
export function assertWords(command: Command, words: readonly string[]): void {
  const hint = usageText(command.usage)
  if (words.length < command.words.least) throw usageFailure('An argument is missing.', hint)
  if (words.length > command.words.most) throw usageFailure(`Unexpected argument "${words.at(-1)}".`, hint)
}

/** `--json` of commands that need no closer description of what they print. */
export const jsonOption: CommandOption = { summary: 'print JSON for programs' }

/** The session for `last` and `last~N`. */
export const callSessionOption: CommandOption = {
  value: 'ID',
  summary: 'count `last` and `last~N` in this session (default: in all sessions)',
}
/** `--yes` of commands that never ask, because their effect can be undone. Scripts can pass it to every command. */
export const yesOption: CommandOption = { summary: 'accepted for scripts; the command never asks' }

export const commonOptions: Readonly<Record<string, CommandOption>> = {
  home: { value: 'DIRECTORY', summary: 'the home (default: FOREWORD_HOME, then ~/.foreword)' },
  help: { summary: 'print this help' },
}

/** The home of this run as an absolute path: `--home`, else `FOREWORD_HOME`, else `~/.foreword`. */
export function homeDirectory(
  option: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const named = option ?? environment.FOREWORD_HOME
  if (named === undefined || named === '') return join(environment.HOME ?? homedir(), '.foreword')
  return resolve(named.startsWith('~/') ? join(environment.HOME ?? homedir(), named.slice(2)) : named)
}
