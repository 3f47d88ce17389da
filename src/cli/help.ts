import { commonOptions } from './arguments.ts'
import type { Command, Io } from '../capability.ts'
import { applyStyle, width } from './io.ts'
import { table } from './table.ts'
import { version } from './version.ts'

export function commandList(summaries: Readonly<Record<string, string>>, io: Io): string {
  return [
    `${applyStyle(io, 'bold', 'foreword')} ${version()}: see, predict and record every word your model reads`,
    '',
    heading(io, 'Usage'),
    '  foreword COMMAND [OPTIONS]',
    '',
    heading(io, 'Commands'),
    indented(table(Object.entries(summaries))),
    '',
    heading(io, 'Options'),
    indented(optionLines(commonOptions, { version: { summary: 'print the version' } })),
    '',
    'Describe a command with `foreword COMMAND --help`. Start the gateway with `foreword start`.',
  ].join('\n')
}

export function commandHelp(command: Command, io: Io): string {
  const details = command.details === undefined ? [] : ['', wrapped(command.details, width(io))]
  return [
    `${applyStyle(io, 'bold', `foreword ${command.name}`)}: ${command.summary}`,
    '',
    heading(io, 'Usage'),
    ...command.usage.map((line) => `  foreword ${line}`),
    ...details,
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

/** A line broken at words, each part at most `columns` characters where its words allow it. */
export function wrappedLine(line: string, columns: number): string {
  const lines = ['']
  for (const word of line.split(' ')) {
    const last = lines.at(-1)!
    if (last !== '' && last.length + word.length + 1 > columns) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.join('\n')
}
