import type { Command, CommandCall, Io } from '../../capability.ts'
import { CommandFailure, refuseTools } from '../failure.ts'
import { print, printJson } from '../io.ts'
import { addressWithToken } from '../start-screen.ts'
import { findGateway } from '../connection.ts'

export const tokenCommand: Command = {
  name: 'token',
  summary: 'print the address of the running gateway with its token',
  usage: ['token [--json]'],
  details: 'The token gives full access to this home. It is stored in the home in a file that only you can read.',
  words: { least: 0, most: 0 },
  options: { json: { summary: 'print {address, token}' } },
  run: printToken,
}

async function printToken(call: CommandCall, io: Io): Promise<number> {
  refuseTools(io, 'read the token')
  const { readToken } = await import('../../runtime.ts')
  const value = await readToken(call.home)
  const running = await findGateway(call.home)
  const address = running.type === 'gateway' ? running.address : undefined
  if (call.json) {
    printJson(io, { address, token: value })
  } else if (address === undefined) {
    throw new CommandFailure('no-gateway', `No gateway runs on the home ${call.home}.`, {
      hint: 'Start one with `foreword start`, which prints the address.',
    })
  } else {
    print(io, addressWithToken(address, value))
  }
  return 0
}
