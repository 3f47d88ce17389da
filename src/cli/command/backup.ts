import type { Command, CommandCall, Io } from '../../capability.ts'
import { jsonOption, yesOption } from '../arguments.ts'
import { refuseTools } from '../failure.ts'
import { runStoppable } from '../interrupt.ts'
import { note, print, printJson } from '../io.ts'
import { withHomeCapabilities } from '../load-configuration.ts'
import { sizeText } from '../state-text.ts'
import { progressLine } from '../status-line.ts'
import { version } from '../version.ts'

export const backupCommand: Command = {
  name: 'backup',
  summary: 'save the whole home as one archive, also while the gateway runs',
  usage: ['backup FILE [--force] [--json]'],
  details:
    'The archive is a tar.gz of the sessions, files, prompts, workspace, configuration and the folders that capabilities keep in the home, as they are at ' +
    'one moment, with the SHA-256 of each file. It is read back and verified before it gets its name. It also contains the token of the ' +
    'gateway, so keep it private. Restore it with `foreword restore FILE`.',
  words: { least: 1, most: 1 },
  options: {
    force: { summary: 'replace FILE if it exists' },
    yes: yesOption,
    json: jsonOption,
  },
  run: backUp,
}

async function backUp(call: CommandCall, given: Io): Promise<number> {
  refuseTools(given, 'back up the home')
  const io = await withHomeCapabilities(call.home, given)
  const { backupHome, outsideFolders } = await import('../../runtime.ts')
  const progress = progressLine(io)
  const saved = await runStoppable(io, (signal) =>
    backupHome({
      home: call.home,
      capabilities: io.capabilities ?? [],
      file: call.words[0]!,
      replaces: call.has('force'),
      version: version(),
      time: new Date().toISOString(),
      signal,
      onProgress: progress.show,
    }),
  ).finally(progress.clear)
  const { environment, capabilities = [] } = io
  const outside = await outsideFolders({ home: call.home, environment, capabilities })
  if (call.json) {
    printJson(io, { ...saved, outside })
    return 0
  }
  for (const each of saved.leftOut) note(io, `Not in the archive: ${each}`)
  for (const each of outside) note(io, `Not in the archive because it is outside the home: ${each}`)
  print(io, `Saved ${saved.files} files to ${saved.file} (${sizeText(saved.bytes)}, verified).`)
  return 0
}
