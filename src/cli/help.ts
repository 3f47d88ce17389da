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
    optionLines(io, commonOptions, { version: { summary: 'print the version' } }),
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
  const details = command.details === undefined ? [] : ['', wrapped(command.details, textWidth(io))]
  return [
    `${applyStyle(io, 'bold', `foreword ${command.name}`)}: ${command.summary}`,
    '',
    heading(io, 'Usage'),
    ...command.usage.map((line) => usageLine(`  foreword ${line}`, textWidth(io))),
    ...details,
    ...(command.movedTo === undefined ? [] : ['', `The same as \`foreword ${command.movedTo}\`.`]),
    '',
    heading(io, 'Options'),
    optionLines(io, command.options, commonOptions),
  ].join('\n')
}

/** One option a line; what it does goes on below itself where the line is too long. */
function optionLines(io: Io, ...groups: readonly Command['options'][]): string {
  const options = groups
    .flatMap((group) => Object.entries(group))
    .map(([name, { value, summary }]) => ({ label: value === undefined ? `--${name}` : `--${name} ${value}`, summary }))
  const widest = Math.max(...options.map(({ label }) => label.length))
  const room = Math.max(LEAST_SUMMARY, textWidth(io) - widest - 4)
  return options
    .map(({ label, summary }) => {
      const lines = wrappedLine(summary, room).split('\n')
      return `  ${label.padEnd(widest)}  ${lines.join(`\n${' '.repeat(widest + 4)}`)}`
    })
    .join('\n')
}

/** Columns that the description of an option has at least. */
const LEAST_SUMMARY = 30

/** The widest line of a help text. */
function textWidth(io: Io): number {
  return Math.min(width(io), 100)
}

/** A form of a command, broken before what is optional or a choice. */
function usageLine(line: string, columns: number): string {
  const lines = ['']
  for (const piece of line.split(/ (?=[[(|])/)) {
    const joined = lines.at(-1) === '' ? piece : `${lines.at(-1)} ${piece}`
    if (joined.length <= columns || lines.at(-1) === '') lines[lines.length - 1] = joined
    else lines.push(`      ${piece}`)
  }
  return lines.join('\n')
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
    .map((line) => (line.startsWith(' ') ? line : wrappedLine(line, columns)))
    .join('\n')
}
