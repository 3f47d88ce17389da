import { systemClock } from '../../platform.ts'
import { existsSync } from 'node:fs'
import { withClaim } from '../with-claim.ts'
import { jsonOption } from '../arguments.ts'
import type { Command, CommandCall, Io } from '../../capability.ts'
import { sizeText } from '../state-text.ts'
import { refuseTools } from '../failure.ts'
import { print, printJson } from '../io.ts'
import { withHomeCapabilities } from '../load-configuration.ts'
import { statusLine } from '../status-line.ts'

export const compactCommand: Command = {
  name: 'compact',
  summary: 'remove unreferenced content and free its disk space',
  usage: ['compact [--json]'],
  details:
    'Deleting a session or a file keeps texts and bytes that others may share. This command overwrites and removes those that nothing refers to ' +
    'any more, and shrinks the store to the size of its content. The gateway must not run. While the command runs, the store needs as ' +
    'much free space again as it uses.',
  words: { least: 0, most: 0 },
  options: { json: jsonOption },
  run: compact,
}

async function compact(call: CommandCall, given: Io): Promise<number> {
  refuseTools(given, 'compact the home')
  const io = await withHomeCapabilities(call.home, given)
  const { compactHome } = await import('../../runtime.ts')
  const line = statusLine(io)
  const nothing = { contents: 0, files: 0, before: 0, after: 0 }
  const done = existsSync(call.home)
    ? await withClaim(call.home, () => compactHome(call.home, systemClock, line.show, io.capabilities)).finally(
        line.clear,
      )
    : nothing
  if (call.json) printJson(io, done)
  else {
    const { contents, files, before, after } = done
    print(io, `Removed ${contents} contents and ${files} files. ${sizeText(before)} before, ${sizeText(after)} now.`)
  }
  return 0
}
