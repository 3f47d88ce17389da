import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { ToolStatus } from '../../runtime.ts'
import type { CommandCall } from '../command.ts'
import { connected } from '../connection.ts'
import { CommandFailure } from '../failure.ts'
import { type Io, note, print, printJson } from '../io.ts'
import { withWritableStore } from '../open-store.ts'
import { nearestName } from '../nearest-name.ts'
import { styled } from '../style.ts'
import { fetchTools, toolTable } from './tool-table.ts'

/** Puts tools on the list of `tool-access.json`. */
export function allowTools(call: CommandCall, io: Io): Promise<number> {
  return changeAccess(call, io, true)
}

/** Takes tools off it, and forbids them by name. */
export function denyTools(call: CommandCall, io: Io): Promise<number> {
  return changeAccess(call, io, false)
}

async function changeAccess(call: CommandCall, io: Io, allowed: boolean): Promise<number> {
  const names = call.words.slice(1)
  const file = await edit(call.home, names, allowed)
  const tools = await connected(call.home, io, 'read', fetchTools)
  const changed = tools.filter(({ name }) => names.some((each) => stands(each, name)))
  if (call.json) for (const tool of changed) printJson(io, tool)
  else if (changed.length > 0) print(io, await toolTable(changed))
  for (const name of names) warnOfUnknown(name, tools, io)
  if (allowed) await warnOfShell(names, file, io)
  note(io, `Written to ${file}. It holds from the next step on: nothing has to be started again.`)
  return 0
}

/** Writes the file whole or not at all, and answers where it is. */
async function edit(home: string, names: readonly string[], allowed: boolean): Promise<string> {
  const { createHome, homeAt, writePrivately } = await import('../../runtime.ts')
  const { withTool } = await import('../../tool.ts')
  const files = homeAt(home)
  const file = files.toolAccessFile
  const before = await textOf(file)
  let after: string
  try {
    after = names.reduce((text, name) => withTool(text, name, allowed), before)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new CommandFailure('tool-access', message, { mend: `The file is ${file}.`, cause: error })
  }
  await createHome(files)
  if (after !== before) {
    await writePrivately(file, after, randomBytes(6).toString('hex'))
    await record(home, names, allowed)
  }
  return file
}

/** What may run has changed: the audit says so, also where no gateway runs. */
async function record(home: string, names: readonly string[], allowed: boolean): Promise<void> {
  const time = new Date().toISOString()
  const reason = allowed ? 'allowed' : 'no longer allowed'
  await withWritableStore(home, (store) =>
    store.transaction(
      names.map((tool) => ({ type: 'audit', facts: { kind: 'change', tool, rule: 'tool-access.json', reason }, time })),
    ),
  )
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandFailure('tool-access', `${file} cannot be read: ${why}.`, {
      mend: 'Make it a file that you can read and write.',
      cause: error,
    })
  }
}

/** A name that ends in `*` stands for all that begin so. */
function stands(written: string, name: string): boolean {
  return written.endsWith('*') ? name.startsWith(written.slice(0, -1)) : name === written
}

function warnOfUnknown(written: string, tools: readonly ToolStatus[], io: Io): void {
  const names = tools.map(({ name }) => name)
  if (names.some((name) => stands(written, name))) return
  const near = nearestName(written, names)
  const hint = near === undefined ? 'it counts once there is one' : `did you mean ${near}?`
  note(io, `${styled(io, 'yellow', 'warning', io.stderr)}: there is no tool ${written}; ${hint}`)
}

/** A shell that is allowed and has no commands to run is a puzzle. */
async function warnOfShell(names: readonly string[], file: string, io: Io): Promise<void> {
  if (!names.includes('shell')) return
  const { readAccess } = await import('../../tool.ts')
  const read = readAccess(await textOf(file), io.environment)
  if (read.type === 'faulty' || read.access.shell.mode !== 'allowlist') return
  if (read.access.shell.allowedPrefixes.length > 0) return
  note(
    io,
    `${styled(io, 'yellow', 'warning', io.stderr)}: shell may run no command yet: ` +
      `tools.shell.allowedPrefixes in ${file} names those that may, such as ["git status", "ls"]`,
  )
}
