import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Command, CommandCall, CommandOption, Io } from '../capability.ts'
import { nearestName } from '../platform.ts'
import { usageFailure } from './failure.ts'

/** Reads what was written behind the command. Throws a usage failure that names the nearest option. */
export function readArguments(command: Command, args: readonly string[], io: Io): CommandCall {
  const known: Readonly<Record<string, CommandOption>> = { ...command.options, ...commonOptions }
  const { tokens } = parseArgs({
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
    const value = valueOf(command, known, token)
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
  if (!call.has('help')) checkWords(command, words)
  return call
}

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

function valueOf(command: Command, known: Readonly<Record<string, CommandOption>>, token: OptionToken): string {
  const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined
  if (option === undefined) throw unknownOption(command, Object.keys(known), token.rawName)
  if (option.value === undefined) {
    if (token.value === undefined) return ''
    throw usageFailure(`${token.rawName} takes no value.`, `Write \`${token.rawName}\` alone.`)
  }
  const swallowed = token.inlineValue === false && token.value?.startsWith('-') === true && token.value !== '-'
  if (token.value !== undefined && token.value !== '' && !swallowed) return token.value
  throw usageFailure(
    `${token.rawName} needs a value.`,
    `Write \`${token.rawName} ${option.value}\`, or \`${token.rawName}=${option.value}\` where it begins with a dash.`,
  )
}

function unknownOption(command: Command, known: readonly string[], written: string) {
  const near = nearestName(written.replace(/^-+/, ''), known)
  return usageFailure(
    `\`foreword ${command.name}\` has no option ${written}.`,
    near === undefined
      ? `\`foreword ${command.name} --help\` lists its options. Text that begins with a dash goes behind \`--\`.`
      : `Did you mean --${near}?`,
  )
}

function checkWords(command: Command, words: readonly string[]): void {
  const usage = `Write \`foreword ${command.usage.join('`, or `foreword ')}\`.`
  if (words.length < command.words.least) throw usageFailure(`\`foreword ${command.name}\` needs more words.`, usage)
  if (words.length > command.words.most) {
    throw usageFailure(`\`foreword ${command.name}\` does not know what to do with \`${words.at(-1)}\`.`, usage)
  }
}

export const jsonOption: CommandOption = { summary: 'print JSON for programs' }

/** Where `last` and `last~N` count calls. */
export const callSessionOption: CommandOption = {
  value: 'ID',
  summary: 'the session in which `last` and `last~N` count calls (all unless given)',
}
/** `--yes` of commands that never ask, because what they change can be brought back: it means the same everywhere. */
export const noQuestion: CommandOption = { summary: 'do it without asking, as it does anyway' }

/** Options that every command takes. */
export const commonOptions: Readonly<Record<string, CommandOption>> = {
  home: { value: 'DIRECTORY', summary: 'the home (else FOREWORD_HOME, else ~/.foreword)' },
  help: { summary: 'show this help' },
}

/** Where everything of this run lies: `--home`, else `FOREWORD_HOME`, else `~/.foreword`. An absolute path. */
export function homeDirectory(
  option: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const named = option ?? environment.FOREWORD_HOME
  if (named === undefined || named === '') return join(environment.HOME ?? homedir(), '.foreword')
  return resolve(named.startsWith('~/') ? join(environment.HOME ?? homedir(), named.slice(2)) : named)
}
