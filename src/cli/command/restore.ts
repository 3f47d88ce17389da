import { systemClock } from '../../platform.ts'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { progressLine } from '../status-line.ts'
import { withClaim } from '../with-claim.ts'
import { jsonOption, yesOption } from '../arguments.ts'
import type { Command, CommandCall, Io } from '../../capability.ts'
import { CommandFailure, refuseTools } from '../failure.ts'
import { runStoppable } from '../interrupt.ts'
import { note, print, printJson, programCapabilities } from '../io.ts'
import { fullTimeText } from '../time-text.ts'

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'restore a home from an archive of `foreword backup`',
  usage: ['restore FILE [--replace] [--json]'],
  details:
    'Unpacks the archive beside the home, compares every file with its SHA-256 and verifies the store and the audit before it ' +
    'changes anything. The gateway must not run. With --replace, the former content of the home is kept in its folder ' +
    '`before-restore-…`.',
  words: { least: 1, most: 1 },
  options: {
    replace: { summary: 'move the current content of the home aside' },
    yes: yesOption,
    json: jsonOption,
  },
  run: (call, io) => bringBack(call, io),
}

async function bringBack(call: CommandCall, io: Io): Promise<number> {
  refuseTools(io, 'restore the home')
  const { homeCheckpointTargets, restoreHome } = await import('../../runtime.ts')
  const file = resolve(call.words[0]!)
  if (!existsSync(file)) throw new CommandFailure('not-found', `No archive at ${file}.`)
  const progress = progressLine(io)
  const restored = await withClaim(call.home, () =>
    runStoppable(io, (signal) =>
      restoreHome({
        home: call.home,
        clock: systemClock,
        findTargets: (home) =>
          homeCheckpointTargets({ home, environment: io.environment, capabilities: programCapabilities(io) }),
        file,
        replaces: call.has('replace'),
        time: systemClock.time(),
        signal,
        onProgress: progress.show,
      }),
    ),
  ).finally(progress.clear)
  if (call.json) printJson(io, restored)
  else {
    const { files, created, version, audit, aside } = restored
    if (audit.type === 'broken') note(io, `The audit was already broken when it was saved: ${audit.why}.`)
    if (aside !== undefined) note(io, `The former content is in ${aside}. Delete it when you no longer need it.`)
    print(
      io,
      `Restored ${files} files to ${call.home}, saved ${fullTimeText(created, new Date())} by Foreword ${version}.`,
    )
  }
  return 0
}
