import { commonOptions } from './arguments.ts'
import type { Command, CommandGroup, Io, ListedCommand } from '../capability.ts'
import { applyStyle, width } from './io.ts'
import { table } from './table.ts'
import { version } from './version.ts'
import { wrappedLine } from './wrapped-line.ts'

export function commandList(commands: Readonly<Record<string, ListedCommand>>, io: Io): string {
  const listed = Object.entries(commands).filter(([, { movedTo }]) => movedTo === undefined)
  const longest = Math.max(...listed.map(([name]) => name.length))
  const groups = Object.entries(commandGroups).flatMap(([group, title]) => {
    const rows = listed.filter(([, command]) => (command.group ?? 'others') === group)
    if (rows.length === 0) return []
    return ['', heading(io, title), indented(table(rows.map(([name, { summary }]) => [name.padEnd(longest), summary])))]
  })
  return [
    `${applyStyle(io, 'bold', 'foreword')} ${version()}: see, predict and record every word your model reads`,
    '',
    heading(io, 'Usage'),
    '  foreword COMMAND [OPTIONS]',
    ...groups,
    '',
    heading(io, 'Options'),
    indented(optionLines(commonOptions, { version: { summary: 'print the version' } })),
    '',
    'Describe a command with `foreword COMMAND --help`. Start the gateway with `foreword start`.',
  ].join('\n')
}

/** The headings of the help, in its order. */
export const commandGroups: Readonly<Record<CommandGroup | 'others', string>> = {
  talk: 'Talk',
  look: 'Look',
  money: 'Money',
  'set-up': 'Set up',
  keep: 'Keep',
  others: 'Others',
}

export function commandHelp(command: Command, io: Io): string {
  const details = command.details === undefined ? [] : ['', wrapped(command.details, width(io))]
  return [
    `${applyStyle(io, 'bold', `foreword ${command.name}`)}: ${command.summary}`,
    '',
    heading(io, 'Usage'),
    ...command.usage.map((line) => `  foreword ${line}`),
    ...details,
    ...(command.movedTo === undefined ? [] : ['', `The same as \`foreword ${command.movedTo}\`.`]),
    '',
    heading(io, 'Options'),
    indented(optionLines(command.options, commonOptions)),
  ].join('\n')
}

function optionLines(...groups: readonly Command['options'][]): string {
  return table(
    groups
      .flatMap((options) => Object.entries(options))
      .map(([name, option]) => [
        option.value === undefined ? `--${name}` : `--${name} ${option.value}`,
        option.summary,
      ]),
  )
}

function heading(io: Io, text: string): string {
  return applyStyle(io, 'bold', text)
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ')
}

/** Paragraphs wrapped at words. Lines that begin with a space stay as they are. */
function wrapped(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith(' ') ? line : wrappedLine(line, Math.min(columns, 100))))
    .join('\n')
}
