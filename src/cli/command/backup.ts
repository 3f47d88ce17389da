import { outsideFolders } from '../backup/outside-folders.ts'
import { progressLine } from '../backup/progress-line.ts'
import { jsonOption, noQuestion } from '../command.ts'
import type { Command, CommandCall, Io } from '../../capability.ts'
import { refuseTools } from '../for-persons.ts'
import { sizeText } from '../state-text.ts'
import { note, print, printJson } from '../io.ts'
import { stoppable } from '../interrupt.ts'
import { homeStore } from '../open-store.ts'
import { version } from '../version.ts'

export const backup: Command = {
  name: 'backup',
  summary: 'save the whole home as one archive, also while the gateway runs',
  usage: ['backup FILE [--force] [--json]'],
  details:
    'The archive is a tar.gz with sessions, files, prompts, skills, subjects, workspace and configuration as they are at ' +
    'one moment, and the SHA-256 of each file. It is read back before it gets its name. It also holds the token of the ' +
    'gateway: keep it where only you can read it. `foreword restore FILE` brings it back.',
  words: { least: 1, most: 1 },
  options: {
    force: { summary: 'replace FILE if it exists' },
    yes: noQuestion,
    json: jsonOption,
  },
  run: backUp,
}

async function backUp(call: CommandCall, io: Io): Promise<number> {
  refuseTools(io, 'save the home')
  const { backupHome } = await import('../../runtime.ts')
  const { driver: store } = await homeStore(call.home, io)
  const progress = progressLine(io)
  const saved = await stoppable(io, (signal) =>
    backupHome({
      home: call.home,
      store,
      capabilities: io.capabilities ?? [],
      file: call.words[0]!,
      replaces: call.has('force'),
      version: version(),
      time: new Date().toISOString(),
      signal,
      onProgress: progress.show,
    }),
  ).finally(progress.clear)
  const outside = await outsideFolders(call.home, io)
  if (call.json) {
    printJson(io, { ...saved, outside })
    return 0
  }
  for (const each of saved.leftOut) note(io, `Not in the archive: ${each}`)
  for (const each of outside) note(io, `Not in the archive, since it is outside the home: ${each}`)
  print(io, `${saved.file}: ${saved.files} files, ${sizeText(saved.bytes)}, read back and whole`)
  return 0
}
