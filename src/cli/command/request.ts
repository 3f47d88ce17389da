import { createHash } from 'node:crypto'
import type { RebuiltRequest } from '../../runtime.ts'
import { ask, pathTo } from '../answer.ts'
import type { Command, CommandCall } from '../command.ts'
import { connected, type Connection } from '../connection.ts'
import { type Io, note } from '../io.ts'
import { styled } from '../style.ts'

export const request: Command = {
  name: 'request',
  summary: 'print the exact request of an earlier call again',
  usage: ['request CALL > request.json'],
  details:
    'The request is built again from the log, in canonical order (tools, system, messages), and compared with the ' +
    'digest that was written when the call was made. Exit code 1 where they differ.',
  words: { least: 1, most: 1 },
  options: {},
  run: (call, io) => connected(call.home, io, 'read', (connection) => printRequest(connection, call, io)),
}

async function printRequest(connection: Connection, call: CommandCall, io: Io): Promise<number> {
  const rebuilt = await ask<RebuiltRequest>(connection, pathTo('/api/calls/', call.words[0]!, '/request'))
  // JSON that came out of `JSON.stringify` goes through another round unchanged, byte for byte.
  const body = JSON.stringify(rebuilt.request)
  const digest = createHash('sha256').update(body).digest('hex')
  const recorded = rebuilt.call.requestDigest
  io.stdout.write(body)
  note(
    io,
    digest === recorded
      ? styled(io, 'green', `sha256 ${digest}: identical to what was sent`, io.stderr)
      : styled(io, 'red', `sha256 ${digest}: differs from what was sent (${recorded})`, io.stderr),
  )
  return digest === recorded ? 0 : 1
}
