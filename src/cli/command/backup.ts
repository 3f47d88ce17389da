import { existsSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import type { Command, CommandCall, Io } from '../../capability.ts'
import { jsonOption, noQuestion } from '../arguments.ts'
import { refuseTools } from '../failure.ts'
import { runStoppable } from '../interrupt.ts'
import { note, print, printJson } from '../io.ts'
import { findHomeStore } from '../open-store.ts'
import { sizeText } from '../state-text.ts'
import { progressLine } from '../status-line.ts'
import { version } from '../version.ts'

export const backupCommand: Command = {
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
  const { driver: store } = await findHomeStore(call.home, io)
  const progress = progressLine(io)
  const saved = await runStoppable(io, (signal) =>
    backupHome({
      home: call.home,
      store,
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

/** Folders that the configuration of a home names and that are not in it, as absolute paths. They are not part of an archive. */
async function outsideFolders(home: string, io: Io): Promise<readonly string[]> {
  const { loadConfiguration } = await import('../../runtime.ts')
  const { configuration } = await loadConfiguration({
    home,
    environment: io.environment,
    capabilities: io.capabilities ?? [],
  })
  const { skills, subjects, agent } = configuration
  const named = [skills.directory, ...skills.extraDirs, subjects.directory, subjects.tastes, agent.workspace]
  const folders = named.filter((path): path is string => path !== undefined).map((path) => resolve(home, path))
  return [...new Set(folders)].filter((path) => isOutside(home, path) && existsSync(path))
}

function isOutside(home: string, path: string): boolean {
  const way = relative(home, path)
  return way === '..' || way.startsWith(`..${sep}`) || resolve(way) === way
}
