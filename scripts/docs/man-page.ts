import type { Command } from '../../src/capability.ts'
import { commandGroups } from '../../src/cli/help.ts'

/** The manual page of the command line, from the values that its help is made from: `man foreword`. */
export function manPage(version: string, commands: readonly Command[], common: Command['options']): string {
  const listed = commands.filter(({ movedTo }) => movedTo === undefined)
  const groups = Object.entries(commandGroups).flatMap(([group, title]) => {
    const own = listed.filter((command) => (command.group ?? 'others') === group)
    return own.length === 0 ? [] : [`.SH ${title.toUpperCase()}`, ...own.flatMap(commandLines)]
  })
  return [
    `.TH FOREWORD 1 "" "foreword ${version}"`,
    '.SH NAME',
    String.raw`foreword \- see, predict and record every word your model reads`,
    '.SH SYNOPSIS',
    '.B foreword',
    '.I COMMAND',
    String.raw`[\fIOPTIONS\fR]`,
    '.SH DESCRIPTION',
    'Each command has a help of its own: foreword COMMAND \\-\\-help. Start the gateway with foreword start, and open the address that it prints.',
    '.SH OPTIONS',
    ...optionLines(common),
    ...groups,
    '.SH FILES',
    '.TP',
    '~/.foreword',
    'The home: configuration, sessions, files and the token. FOREWORD_HOME or \\-\\-home name another.',
    '',
  ].join('\n')
}

function commandLines({ name, summary, usage, details, options }: Command): readonly string[] {
  return [
    `.SS ${name}`,
    sentence(summary),
    '.PP',
    '.nf',
    ...usage.map((form) => `foreword ${escaped(form)}`),
    '.fi',
    ...(details === undefined ? [] : details.split('\n').flatMap(paragraph)),
    ...optionLines(options),
  ]
}

/** A line that begins with a space stays as it is. */
function paragraph(line: string): readonly string[] {
  return line.startsWith(' ') ? ['.nf', escaped(line), '.fi'] : ['.PP', escaped(line)]
}

function optionLines(options: Command['options']): readonly string[] {
  return Object.entries(options).flatMap(([name, { summary, value }]) => [
    '.TP',
    String.raw`\fB${escaped(`--${name}`)}\fR${value === undefined ? '' : String.raw` \fI${escaped(value)}\fR`}`,
    escaped(summary),
  ])
}

function sentence(text: string): string {
  return escaped(`${text[0]!.toUpperCase()}${text.slice(1)}.`)
}

/** Text as roff reads it: dashes that can be typed, no escapes, no line that is a request. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll(/^(?=[.'])/gm, String.raw`\&`)
}
