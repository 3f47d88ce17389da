import { exactLine } from '../../context.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { systemClock, defined, errorMessage, ForewordError, nearestHint, nearestName } from '../../platform.ts'
import type { EditedAccess, ToolStatus } from '../../runtime.ts'
import type { AuditFacts } from '../../session.ts'
import { withConnection } from '../connection.ts'
import { CommandFailure, notRecorded } from '../failure.ts'
import { lineLimit, note, print, printJson, applyStyle } from '../io.ts'
import { findHomeStore, withWritableStore } from '../open-store.ts'
import { fetchTokenScale } from '../preview.ts'
import { fetchTools, findTool, toolTable } from './tool-table.ts'

/** Allows tools in `tool-access.json` and prints the new access of each. */
export function allowTools(call: CommandCall, io: Io): Promise<number> {
  return changeAccess(call, io, true)
}

/** Denies tools there by name. The exit code is 1 if one of them may still be called. */
export function denyTools(call: CommandCall, io: Io): Promise<number> {
  return changeAccess(call, io, false)
}

async function changeAccess(call: CommandCall, io: Io, allowed: boolean): Promise<number> {
  const wanted: Wanted = { names: call.words.slice(1), allowed }
  if (allowed) await refuseUnknown(call.home, wanted.names, io)
  const written = await changeAccessFile(call.home, io, wanted)
  const { tools, sized } = await toolsNow(call, written, io)
  const { matchesToolName } = await import('../../tool.ts')
  const meant = tools.filter(({ name }) => wanted.names.some((word) => matchesToolName(word, name)))
  if (written.isChanged && meant.length > 0)
    await record(
      call.home,
      io,
      meant.map((tool) => newAccess(tool, wanted)),
    )
  if (call.json) for (const tool of meant) printJson(io, tool)
  else if (meant.length > 0) print(io, await toolTable(meant, sized, lineLimit(io)))
  const known = tools.map(({ name }) => name)
  const unknown = wanted.names.filter((word) => !known.some((name) => matchesToolName(word, name)))
  for (const word of unknown) warn(unknownText(word, known), io)
  const others = meant.filter(({ access }) => (access === 'refused') === allowed)
  for (const tool of others) warn(otherwiseText(tool, written, allowed), io)
  if (allowed && meant.some(({ name }) => name === 'shell')) {
    for (const text of await shellWarnings(written.file, io)) warn(text, io)
  }
  note(io, writtenText(written))
  if (allowed && written.isChanged && meant.length > others.length) note(io, ANNOUNCED)
  return !allowed && others.length > 0 ? 1 : 0
}

/** A name that no tool has is most likely mistyped. A pattern may be meant for later; where the tools cannot be listed, nothing is known. */
async function refuseUnknown(home: string, names: readonly string[], io: Io): Promise<void> {
  const tools = await withConnection(home, io, 'read', fetchTools).catch(() => undefined)
  for (const name of tools === undefined ? [] : names.filter((each) => !each.includes('*'))) findTool(name, tools!)
}

/** Asks the gateway for the access of each tool, because a running gateway has an environment of its own. */
async function toolsNow(call: CommandCall, written: EditedAccess, io: Io) {
  try {
    return await withConnection(call.home, io, 'read', async (connection) => ({
      tools: await fetchTools(connection),
      sized: await fetchTokenScale(connection),
    }))
  } catch (error) {
    const why = errorMessage(error)
    throw new CommandFailure('tools', `${writtenText(written)} The new access of each tool cannot be shown: ${why}`, {
      hint: 'Fix what the message names. Then list the tools with `foreword tools`.',
      cause: error,
    })
  }
}

/** Where a change of the tools of a session stands until its beginning is composed again. */
const ANNOUNCED =
  'Running sessions offer the tool from the next step, or announce it above the next message where a cache holds their prompt. For a model that calls only the tools of its list: `foreword reload --now`.'

function writtenText({ file, isChanged }: EditedAccess): string {
  return isChanged
    ? `Updated ${file}. It takes effect at the next step.`
    : `${file} already has this setting. Nothing was written.`
}

/** Why the access of a tool is not what the command asked for, and how to change it. */
function otherwiseText({ name, rule, reason }: ToolStatus, { file }: EditedAccess, allowed: boolean): string {
  const tool = exactLine(name)
  if (!allowed) {
    return `${tool} may still be called (${exactLine(rule)}): an environment variable of the gateway overrides ${file}.`
  }
  const hint =
    name === 'shell' || /^tools\..*\.enabled$/.test(rule)
      ? `Allow it by its own name with \`foreword tools allow ${tool}\`.`
      : `See ${exactLine(rule)} in ${file}.`
  return `${tool} is still refused (${exactLine(rule)}): ${exactLine(reason ?? 'it may not run')}. ${hint}`.replace(
    /\.\. /,
    '. ',
  )
}

function warn(text: string, io: Io): void {
  note(io, `${applyStyle(io, 'yellow', 'warning', io.stderr)}: ${text}`)
}

/** Records the change in the audit and keeps the contents of the file, with or without a running gateway. */
async function recordChange(home: string, io: Io, wanted: Wanted, edited: FileChange): Promise<void> {
  const { accessWrites } = await import('../../runtime.ts')
  const facts = wanted.names.map((name) => changeFacts(name, wanted.allowed))
  try {
    await withWritableStore(await findHomeStore(home, io), async (store) =>
      store.transaction(await accessWrites(store, edited, facts, new Date().toISOString())),
    )
  } catch (error) {
    if (error instanceof ForewordError && error.code === 'changed') {
      throw new CommandFailure(error.code, error.message, { ...defined({ hint: error.hint }), cause: error })
    }
    throw notRecorded('tool-access', error)
  }
}

async function record(home: string, io: Io, facts: readonly AuditFacts[]): Promise<void> {
  const time = new Date().toISOString()
  await withWritableStore(await findHomeStore(home, io), (store) =>
    store.transaction(facts.map((each) => ({ type: 'audit', facts: each, time }) as const)),
  )
}

function changeFacts(tool: string, allowed: boolean): AuditFacts {
  return {
    kind: 'change',
    tool,
    rule: 'tool-access.json',
    by: 'cli',
    reason: allowed ? 'allowed' : 'no longer allowed',
  }
}

function newAccess({ name, access, rule }: ToolStatus, { names, allowed }: Wanted): AuditFacts {
  const decision = access === 'ask' ? 'asked' : access
  const reason = `after tools ${allowed ? 'allow' : 'deny'} ${names.join(' ')}`.slice(0, 500)
  return { kind: 'change', tool: name, decision, rule, by: 'cli', reason }
}

type FileChange = Pick<EditedAccess, 'before' | 'after'>

interface Wanted {
  readonly names: readonly string[]
  readonly allowed: boolean
}

/** Writes `tool-access.json`. The change is recorded, and what was before is kept, before the new content counts. */
async function changeAccessFile(home: string, io: Io, wanted: Wanted): Promise<EditedAccess> {
  const { accessFilePath, editAccess } = await import('../../runtime.ts')
  const { withTool } = await import('../../tool.ts')
  const { names, allowed } = wanted
  try {
    return await editAccess(
      { home, clock: systemClock },
      (text) => names.reduce((edited, name) => withTool(edited, name, allowed), text),
      (edited) => recordChange(home, io, wanted, edited),
    )
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    const message = errorMessage(error)
    const file = await accessFilePath(home)
    throw new CommandFailure('tool-access', message, { hint: `The file is ${file}.`, cause: error })
  }
}

/** Warnings about a shell that was just allowed: it may run no command, or commands that can run any other. */
async function shellWarnings(file: string, io: Io): Promise<readonly string[]> {
  const { accessFile, prefixRisk, readText, shellGap } = await import('../../tool.ts')
  const read = await accessFile([file], io.environment, readText).current()
  if (read.type === 'faulty' || read.access.shell.mode !== 'allowlist') return []
  const gap = shellGap(read.access)
  if (gap) return [`${gap.message}. ${gap.hint}`]
  const { allowedPrefixes, approval } = read.access.shell
  if (approval === 'ask') return []
  return allowedPrefixes.flatMap((prefix) => {
    const risk = prefixRisk(prefix)
    return risk === undefined
      ? []
      : [
          `The prefix ${JSON.stringify(prefix)} allows more than it seems to: ${risk}. Remove it from tools.shell.allowedPrefixes, or set tools.shell.approval to "ask", in ${file}.`,
        ]
  })
}

/** A warning about a name or a pattern that matches no tool. */
function unknownText(word: string, names: readonly string[]): string {
  if (!word.endsWith('*')) return `Unknown tool "${word}". ${nearestHint(word, names, LATER)}`
  const start = word.slice(0, -1)
  const near = nearestName(start, [...new Set(names.map((name) => name.slice(0, start.length)))])
  if (near === undefined) return `No tool begins with "${start}". ${LATER}`
  const found = names.filter((name) => name.startsWith(near))
  const more = found.length > MOST ? ' …' : ''
  return `No tool begins with "${start}". Did you mean ${near}*? It matches ${found.slice(0, MOST).join(', ')}${more}`
}

const LATER = 'The rule applies once there is one.'

const MOST = 5
