import type { Command, Io } from '../../capability.ts'
import type { UsedSettings } from '../../runtime.ts'
import type { GatewayRow } from '../../session.ts'
import { requestJson } from '../answer.ts'
import { jsonOption } from '../arguments.ts'
import { answerCommand } from '../gateway-commands.ts'
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
  run: answerCommand((connection) => requestJson<GatewayList>(connection, '/api/gateways'), gatewayTable),
}

interface GatewayList {
  readonly gateways: readonly (GatewayRow & {
    readonly people?: readonly string[]
    readonly settings?: UsedSettings[string]
  })[]
}

function gatewayTable({ gateways }: GatewayList, io: Io): string {
  const refused = gateways.flatMap(({ address = 'A gateway', settings }) =>
    (settings?.refused ?? []).map((text) => `${address}: ${text}`),
  )
  return [gatewayRows({ gateways }, io), ...refused].join('\n')
}

function gatewayRows({ gateways }: GatewayList, io: Io): string {
  const now = new Date()
  const hasSettings = gateways.some(({ settings }) => settings !== undefined)
  const hasPeople = gateways.some(({ people }) => people !== undefined)
  const rows = gateways.map(
    ({ state, host, pid, address = '', version, since, started, heartbeat, people = [], settings }) => ({
      state,
      address,
      ...(hasPeople && { homes: [...(state === 'active' ? ['the owner'] : []), ...people].join(', ') }),
      host,
      pid: String(pid),
      version,
      ...(hasSettings && { settings: settings === undefined ? '' : String(settings.version) }),
      since: timeText(since ?? started, now),
      heartbeat: timeText(heartbeat, now),
    }),
  )
  return rowTable(rows, io, {
    right: hasSettings ? ['pid', 'settings'] : ['pid'],
    spare: ['pid', 'version', ...(hasSettings ? (['settings'] as const) : []), 'heartbeat'],
  })
}
