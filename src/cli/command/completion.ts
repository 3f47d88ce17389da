import { quoteForShell } from '../../platform.ts'
import type { Command, CommandCall, Io } from '../../capability.ts'
import { commonOptions } from '../arguments.ts'
import { usageFailure } from '../failure.ts'
import { type CommandSource, print } from '../io.ts'

/** `commandsOf` loads every command that a source has. */
export const completionCommand = (commandsOf: (source: CommandSource) => Promise<readonly Command[]>): Command => ({
  name: 'completion',
  group: 'set-up',
  summary: 'print the completion script for bash, zsh or fish',
  usage: ['completion (bash | zsh | fish)'],
  details:
    'bash: `foreword completion bash > ~/.local/share/bash-completion/completions/foreword`\n' +
    'zsh: `foreword completion zsh > DIRECTORY/_foreword`, a directory of `$fpath`\n' +
    'fish: `foreword completion fish > ~/.config/fish/completions/foreword.fish`\n' +
    'Write it again after an update, and after a capability was added: commands and options of the home are in it.',
  words: { least: 1, most: 1 },
  options: {},
  run: (call, io) => printCompletion(call, io, commandsOf),
})

async function printCompletion(
  call: CommandCall,
  io: Io,
  commandsOf: (source: CommandSource) => Promise<readonly Command[]>,
): Promise<number> {
  const [shell = ''] = call.words
  const write = Object.hasOwn(shells, shell) ? shells[shell] : undefined
  if (!write) throw usageFailure(`There is no completion for ${shell}.`, 'Use one of bash, zsh, fish.')
  const { withHomeCapabilities } = await import('../load-configuration.ts')
  const commands = await commandsOf(await withHomeCapabilities(call.home, io))
  print(io, write(commands.filter(({ movedTo }) => movedTo === undefined).map(completed)))
  return 0
}

/** A command with the words and options that can follow it. */
interface Completed {
  readonly name: string
  readonly summary: string
  readonly words: readonly string[]
  readonly options: readonly { readonly name: string; readonly summary: string; readonly hasValue: boolean }[]
}

function completed({ name, summary, usage, options }: Command): Completed {
  const all = Object.entries({ ...options, ...commonOptions }).map(([option, { summary: about, value }]) => ({
    name: option,
    summary: about,
    hasValue: value !== undefined,
  }))
  // A word in small letters is typed as it stands; one in capitals stands for something else.
  const words = usage.flatMap((form) => {
    const [word] = form.slice(name.length).matchAll(/(?<=^\s*[[(]?)[a-z][a-z-]*(?=[\s\])]|$)/g)
    return word ? [word[0]] : []
  })
  return { name, summary, words: [...new Set(words)], options: all }
}

const shells: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash(commands) {
    const cases = commands.map(({ name, words, options }) => {
      const all = [...words, ...options.map((option) => `--${option.name}`)].join(' ')
      return `    ${name}) words='${all}' ;;`
    })
    return [
      '_foreword() {',
      '  local word="${COMP_WORDS[COMP_CWORD]}" words=',
      '  if [ "$COMP_CWORD" -eq 1 ]; then',
      `    words='${commands.map(({ name }) => name).join(' ')}'`,
      '  else case "${COMP_WORDS[1]}" in',
      ...cases,
      '  esac; fi',
      '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
      '  [ "${#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$word"))',
      '}',
      'complete -F _foreword foreword',
    ].join('\n')
  },
  zsh(commands) {
    const described = (name: string, summary: string) => quoteForShell(`${name.replaceAll(':', '\\:')}:${summary}`)
    const cases = commands.map(({ name, words, options }) =>
      [
        `    ${name})`,
        ...(words.length === 0 ? [] : [`      (( CURRENT == 3 )) && compadd -- ${words.join(' ')}`]),
        `      local -a options=(${options.map((option) => described(`--${option.name}`, option.summary)).join(' ')})`,
        '      [[ $PREFIX == -* ]] && _describe -o option options || _files',
        '      ;;',
      ].join('\n'),
    )
    return [
      '#compdef foreword',
      '_foreword() {',
      `  local -a commands=(${commands.map(({ name, summary }) => described(name, summary)).join(' ')})`,
      '  if (( CURRENT == 2 )); then',
      '    _describe command commands',
      '    return',
      '  fi',
      '  case ${words[2]} in',
      ...cases,
      '  esac',
      '}',
      '_foreword "$@"',
    ].join('\n')
  },
  fish(commands) {
    const line = (condition: string, rest: string) => `complete -c foreword -n '${condition}' ${rest}`
    return [
      ...commands.map(({ name, summary }) =>
        line('__fish_use_subcommand', `-f -a ${name} -d ${quoteForShell(summary)}`),
      ),
      ...commands.flatMap(({ name, words, options }) => [
        ...words.map((word) => line(`__fish_seen_subcommand_from ${name}`, `-a ${word}`)),
        ...options.map((option) =>
          line(
            `__fish_seen_subcommand_from ${name}`,
            `-l ${option.name}${option.hasValue ? ' -r' : ''} -d ${quoteForShell(option.summary)}`,
          ),
        ),
      ]),
    ].join('\n')
  },
}
