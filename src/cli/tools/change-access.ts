import type { ToolStatus } from '../../runtime.ts'
import type { AuditFacts } from '../../session.ts'
import type { CommandCall } from '../command.ts'
import { connected } from '../connection.ts'
import { exactLine } from '../exact-text.ts'
import { CommandFailure } from '../failure.ts'
import { type Io, lineLimit, note, print, printJson } from '../io.ts'
import { withWritableStore } from '../open-store.ts'
import { styled } from '../style.ts'
import { changeAccessFile, type Changed, type Wanted } from './change-access-file.ts'
import { shellWarnings } from './shell-warnings.ts'
import { fetchTools, toolTable } from './tool-table.ts'
import { unknownText } from './unknown-name.ts'

/** Allows tools in `tool-access.json`, and says what then holds for each of them. */
export function allowTools(call: CommandCall, io: Io): Promise<number> {
  return changeAccess(call, io, true)
}

/** Forbids them there by name. Ends with code 1 where one of them may still be called. */
export function denyTools(call: CommandCall, io: Io): Promise<number> {
  return changeAccess(call, io, false)
}

async function changeAccess(call: CommandCall, io: Io, allowed: boolean): Promise<number> {
  const wanted: Wanted = { names: call.words.slice(1), allowed }
  const written = await changeAccessFile(call.home, wanted)
  if (written.isChanged)
    await record(
      call.home,
      wanted.names.map((name) => changeOf(name, allowed)),
    )
  const tools = await toolsNow(call, written, io)
  const { standsFor } = await import('../../tool.ts')
  const meant = tools.filter(({ name }) => wanted.names.some((word) => standsFor(word, name)))
  if (written.isChanged && meant.length > 0)
    await record(
      call.home,
      meant.map((tool) => whatHolds(tool, wanted)),
    )
  if (call.json) for (const tool of meant) printJson(io, tool)
  else if (meant.length > 0) print(io, await toolTable(meant, lineLimit(io)))
  const known = tools.map(({ name }) => name)
  const unknown = wanted.names.filter((word) => !known.some((name) => standsFor(word, name)))
  for (const word of unknown) warn(unknownText(word, known), io)
  const others = meant.filter(({ access }) => (access === 'refused') === allowed)
  for (const tool of others) warn(otherwiseText(tool, written, allowed), io)
  if (allowed && meant.some(({ name }) => name === 'shell')) {
    for (const text of await shellWarnings(written.file, io)) warn(text, io)
  }
  note(io, writtenText(written))
  return !allowed && others.length > 0 ? 1 : 0
}

/** The policy is asked, and not guessed at: a running gateway has an environment of its own. */
async function toolsNow(call: CommandCall, written: Changed, io: Io): Promise<readonly ToolStatus[]> {
  try {
    return await connected(call.home, io, 'read', fetchTools)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandFailure('tools', `${writtenText(written)} The new access of each tool cannot be shown: ${why}`, {
      hint: 'Mend what is named there; `foreword tools` then lists them.',
      cause: error,
    })
  }
}

function writtenText({ file, isChanged }: Changed): string {
  return isChanged
    ? `Written to ${file}. It takes effect at the next step; no restart is needed.`
    : `${file} already has this setting: nothing was written.`
}

/** Why a tool is not what the command was to make it, and what would. */
function otherwiseText({ name, rule, reason }: ToolStatus, { file }: Changed, allowed: boolean): string {
  const tool = exactLine(name)
  if (!allowed) {
    return `${tool} may still be called (${exactLine(rule)}): an environment variable of the gateway overrides ${file}`
  }
  const hint =
    name === 'shell' || /^tools\..*\.enabled$/.test(rule)
      ? `\`foreword tools allow ${tool}\` allows it by its own name`
      : `see ${exactLine(rule)} in ${file}`
  return `${tool} is still refused (${exactLine(rule)}): ${exactLine(reason ?? 'it may not run')} ${hint}`
}

function warn(text: string, io: Io): void {
  note(io, `${styled(io, 'yellow', 'warning', io.stderr)}: ${text}`)
}

/** What may run has changed: the audit says so, also where no gateway runs. */
async function record(home: string, facts: readonly AuditFacts[]): Promise<void> {
  const time = new Date().toISOString()
  await withWritableStore(home, (store) =>
    store.transaction(facts.map((each) => ({ type: 'audit', facts: each, time }) as const)),
  )
}

function changeOf(tool: string, allowed: boolean): AuditFacts {
  return { kind: 'change', tool, rule: 'tool-access.json', reason: allowed ? 'allowed' : 'no longer allowed' }
}

/** One record for each tool that was meant: what the policy answers for it now. */
function whatHolds({ name, access, rule }: ToolStatus, { names, allowed }: Wanted): AuditFacts {
  const decision = access === 'ask' ? 'asked' : access
  const reason = `after tools ${allowed ? 'allow' : 'deny'} ${names.join(' ')}`.slice(0, 500)
  return { kind: 'change', tool: name, decision, rule, reason }
}
