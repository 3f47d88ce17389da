import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command, CommandCall, Io } from '../../../capability.ts'
import {
  CommandFailure,
  confirm,
  fullTimeText,
  isInteractive,
  jsonOption,
  note,
  print,
  printJson,
  programCapabilities,
  progressLine,
  refuseTools,
  runStoppable,
  sizeText,
  statusLine,
  version,
  withClaim,
  withHomeCapabilities,
  yesOption,
} from '../../../cli.ts'
import { countedText } from '../../../context.ts'
import { defined, systemClock } from '../../../platform.ts'
import { homeCheckpointTargets } from '../../../runtime.ts'
import { homePrograms, type RestoredContent } from '../archive-content.ts'
import { backupHome } from '../backup-home.ts'
import { compactHome } from '../compact-home.ts'
import { outsideFolders } from '../outside-folders.ts'
import { restoreHome } from '../restore-home.ts'

export const backupCommand: Command = {
  name: 'backup',
  group: 'keep',
  summary: 'save the whole home as one archive, also while the gateway runs',
  usage: ['backup FILE [--force] [--json]'],
  details:
    'The archive is a tar.gz of the sessions, files, prompts, workspace, configuration and the folders that capabilities keep in the home, as they are at ' +
    'one moment, with the SHA-256 of each file. It is read back and verified before it gets its name. It also contains the token of the ' +
    'gateway, so keep it private. Restore it with `foreword restore FILE`.',
  words: { least: 1, most: 1 },
  options: { force: { summary: 'replace FILE if it exists' }, yes: yesOption, json: jsonOption },
  run: backUp,
}

async function backUp(call: CommandCall, given: Io): Promise<number> {
  refuseTools(given, 'back up the home')
  const io = await withHomeCapabilities(call.home, given)
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
  if (call.json) return printJson(io, { ...saved, outside })
  for (const each of saved.leftOut) note(io, `Not in the archive: ${each}`)
  for (const each of outside) note(io, `Not in the archive because it is outside the home: ${each}`)
  print(io, `Saved ${countedText(saved.files, 'file')} to ${saved.file} (${sizeText(saved.bytes)}, verified).`)
  return 0
}

export const restoreCommand: Command = {
  name: 'restore',
  group: 'keep',
  summary: 'restore a home from an archive of `foreword backup`',
  usage: ['restore FILE [--replace] [--key ID] [--yes] [--json]'],
  details:
    'Unpacks the archive beside the home, compares every file with its SHA-256 and verifies the store and the audit before it ' +
    'changes anything. Then it shows who signed the archive, what its policy lets through beyond what this home has accepted, the ' +
    'programs that it runs beside the gateway, and its links, and asks on a terminal. What the policy of an archive that neither the key of this ' +
    'home nor the key of --key has signed lets through beyond that waits for `foreword accept`. The gateway must not run. With ' +
    '--replace, the former content of the home is kept in its folder `before-restore-…`.',
  words: { least: 1, most: 1 },
  options: {
    replace: { summary: 'move the current content of the home aside' },
    key: { value: 'ID', summary: 'the key that must have signed the archive, as `foreword audit key` prints it' },
    yes: { summary: 'restore without asking' },
    json: jsonOption,
  },
  run: (call, io) => bringBack(call, io),
}

async function bringBack(call: CommandCall, io: Io): Promise<number> {
  refuseTools(io, 'restore the home')
  const file = resolve(call.words[0]!)
  const capabilities = await programCapabilities(io)
  const loading = (home: string) => ({ home, environment: io.environment, capabilities })
  if (!existsSync(file)) throw new CommandFailure('not-found', `No archive at ${file}.`)
  const progress = progressLine(io)
  const restored = await withClaim(call.home, io, () =>
    runStoppable(io, (signal) =>
      restoreHome({
        home: call.home,
        clock: systemClock,
        findTargets: (home) => homeCheckpointTargets(loading(home)),
        findPrograms: (home) => homePrograms(loading(home)),
        confirm: (content) => agrees(content, call, io),
        ...defined({ signedBy: call.text('key') }),
        file,
        replaces: call.has('replace'),
        time: systemClock.time(),
        signal,
        onProgress: progress.show,
      }),
    ),
  ).finally(progress.clear)
  if (!restored) return 1
  if (call.json) printJson(io, restored)
  else {
    const { files, created, version: saver, audit, content, aside } = restored
    if (audit.type === 'broken') note(io, `The audit was already broken when it was saved: ${audit.why}.`)
    if (!content.isTrusted && content.policy.length > 0) {
      note(io, 'What its policy lets through beyond that waits until you accept it: `foreword accept`.')
    }
    if (aside !== undefined) note(io, `The former content is in ${aside}. Delete it when you no longer need it.`)
    print(
      io,
      `Restored ${countedText(files, 'file')} to ${call.home}, saved ${fullTimeText(created, new Date())} by Foreword ${saver}.`,
    )
  }
  return 0
}

/** Shows what an archive brings before it is put in place, and asks on a terminal unless `--yes` says so. */
async function agrees(content: RestoredContent, call: CommandCall, io: Io): Promise<boolean> {
  if (!call.json) for (const line of contentLines(content)) note(io, line)
  if (call.has('yes') || call.json || !isInteractive(io)) return true
  const isAgreed = await confirm(io, 'Restore this?')
  if (!isAgreed) note(io, 'Nothing was restored.')
  return isAgreed
}

function contentLines({ key, isTrusted, policy, programs, links }: RestoredContent): readonly string[] {
  const signer = key === undefined ? 'The archive has no signature.' : `The archive is signed with the key ${key}.`
  return [
    isTrusted ? `The archive is signed with the key ${key}, as asked for or that of this home.` : signer,
    ...policy.map((each) => `Its policy lets through more than this home has accepted: ${each}`),
    ...programs.map((each) => `Not in a sandbox: ${each}.`),
    ...links.slice(0, MOST_LINKS).map((each) => `A link: ${each}`),
    ...(links.length > MOST_LINKS ? [`${links.length - MOST_LINKS} more links.`] : []),
  ]
}

const MOST_LINKS = 20

export const compactCommand: Command = {
  name: 'compact',
  group: 'keep',
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
  const line = statusLine(io)
  const nothing = { contents: 0, files: 0, before: 0, after: 0 }
  const done = existsSync(call.home)
    ? await withClaim(call.home, io, () => compactHome(call.home, systemClock, line.show, io.capabilities)).finally(
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
