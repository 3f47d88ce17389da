import type { Command, CommandCall, Io } from '../../capability.ts'
import type { GatewayRow } from '../../session.ts'
import { requestJson } from '../answer.ts'
import { jsonOption } from '../arguments.ts'
import { withConnection } from '../connection.ts'
import { print, printJson } from '../io.ts'
import { rowTable } from '../table.ts'
import { timeText } from '../time-text.ts'

export const gatewaysCommand: Command = {
  name: 'gateways',
  group: 'look',
  summary: 'list the gateways on the store: the one that works, and those that stand by',
  usage: ['gateways [--json]'],
  details:
    'On a PostgreSQL database, a second gateway stands by and takes over when the first ends, or gives no sign of life for some ' +
    'seconds (`lost`). A home with a store of its own has one gateway.',
  words: { least: 0, most: 0 },
  options: { json: jsonOption },
  run: listGateways,
}

async function listGateways(call: CommandCall, io: Io): Promise<number> {
  const path = '/api/gateways'
  const { gateways } = await withConnection(call.home, io, 'read', (connection) =>
    requestJson<{ readonly gateways: readonly (GatewayRow & { readonly people?: readonly string[] })[] }>(
      connection,
      path,
    ),
  )
  if (call.json) {
    printJson(io, { gateways })
    return 0
  }
  const now = new Date()
  const hasPeople = gateways.some(({ people }) => people !== undefined)
  const rows = gateways.map(({ state, host, pid, address = '', version, since, started, heartbeat, people = [] }) => ({
    state,
    address,
    ...(hasPeople && { homes: [...(state === 'active' ? ['the owner'] : []), ...people].join(', ') }),
    host,
    pid: String(pid),
    version,
    since: timeText(since ?? started, now),
    heartbeat: timeText(heartbeat, now),
  }))
  print(io, rowTable(rows, io, { right: ['pid'], spare: ['pid', 'version', 'heartbeat'] }))
  return 0
}
