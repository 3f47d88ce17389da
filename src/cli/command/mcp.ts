import { jsonOption } from '../command.ts'
import type { Command } from '../../capability.ts'
import { printConfig } from '../mcp/config.ts'
import { clients } from '../mcp/clients.ts'
import { serveMcp } from '../mcp/serve.ts'
import { runSubcommand, type Subcommand } from '../subcommand.ts'

export const mcp: Command = {
  name: 'mcp',
  summary: 'serve subjects and their context to another program over MCP',
  usage: ['mcp', 'mcp config [CLIENT] [--http] [--json]'],
  details:
    'Without a word it speaks MCP on the standard input and output, beside a running gateway or without one, until the ' +
    'input ends. Programs start it themselves. `config` prints what to paste into the settings of a program, with the ' +
    `paths of this machine; CLIENT is one of ${Object.keys(clients).join(', ')}. With --http it is the address of the ` +
    'gateway and its token instead: keep that as you keep a password.',
  words: { least: 0, most: 2 },
  options: {
    http: { summary: 'connect to the running gateway instead of starting a process' },
    json: { ...jsonOption, summary: 'print {client, file, text}, of config' },
  },
  run: (call, io) => runSubcommand(mcp, subcommands, 'serve', call, io),
}

const subcommands: Readonly<Record<string, Subcommand>> = {
  serve: { least: 0, most: 0, run: serveMcp },
  config: { least: 0, most: 1, run: printConfig },
}
