import { jsonOption, noQuestion } from '../command.ts'
import type { Command } from '../../capability.ts'
import { listPairings } from '../pair/list.ts'
import { newPairingCode } from '../pair/new-code.ts'
import { removePairing } from '../pair/remove.ts'
import { runSubcommand, type Subcommand } from '../subcommand.ts'

export const pair: Command = {
  name: 'pair',
  summary: 'let a chat talk to your agent',
  usage: ['pair [--channel NAME] [--json]', 'pair list [--channel NAME] [--json]', 'pair remove CHAT [--channel NAME]'],
  details:
    'It shows a code. Send it to your bot from the chat that should be let in, as `/pair CODE`, within ten minutes; it ' +
    'works once. Whoever is not let in reaches no model. CHAT is the id of a chat, or its title. An id that begins with a ' +
    'dash goes behind `--`.',
  words: { least: 0, most: 2 },
  options: {
    channel: { value: 'NAME', summary: 'where the chat is (telegram unless said)' },
    yes: noQuestion,
    json: jsonOption,
  },
  run: (call, io) => runSubcommand(pair, subcommands, 'code', call, io),
}

const subcommands: Readonly<Record<string, Subcommand>> = {
  code: { least: 0, most: 0, forPersons: 'let chats in', run: newPairingCode },
  list: { least: 0, most: 0, run: listPairings },
  remove: { least: 1, most: 1, forPersons: 'take chats out', run: removePairing },
}
