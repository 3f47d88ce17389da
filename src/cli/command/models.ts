import { jsonOption } from '../arguments.ts'
import type { Command, CommandCall, GatewayConnection, Io } from '../../capability.ts'
import { withConnection } from '../connection.ts'
import { lineLimit, printList } from '../io.ts'
import { fetchModels, modelTable } from '../model-table.ts'
import { priceTable } from '../price-table.ts'

export const modelsCommand: Command = {
  name: 'models',
  summary: 'list the available models',
  usage: ['models [--prices] [--json]'],
  details:
    '`*` marks the default model. Choose another with `foreword config set model ID`, ' +
    'for one session with `/model ID` in `foreword chat`, or for one turn with `foreword send --model ID`. `--prices` shows ' +
    'prices in US dollars per million tokens, the rules of caches, and where both are from.',
  words: { least: 0, most: 0 },
  options: {
    prices: { summary: 'show prices and the rules of caches, with their source and date' },
    json: { ...jsonOption, summary: 'print one model per line' },
  },
  run: (call, io) => withConnection(call.home, io, 'read', (connection) => listModels(connection, call, io)),
}

async function listModels(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const models = await fetchModels(connection)
  const empty = 'No models yet. Name a provider in `providers` of config.json.'
  return printList(
    models,
    { empty, table: (all) => (call.has('prices') ? priceTable : modelTable)(all, lineLimit(io)) },
    call,
    io,
  )
}
