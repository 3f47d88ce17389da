import { exactLine, exactLines } from '../../context.ts'
import type { Command, CommandCall, GatewayConnection, Io, WaitingChange } from '../../capability.ts'
import { requestJson } from '../answer.ts'
import { confirmAction, connectionPurpose } from '../approval/asking.ts'
import { withConnection } from '../connection.ts'
import { CommandFailure, refuseTools, usageFailure } from '../failure.ts'
import { findByName } from '../find-one.ts'
import { applyStyle, note, print, printJson } from '../io.ts'

export const acceptCommand: Command = {
  name: 'accept',
  summary: 'accept what lets a model do more and was not changed with Foreword',
  usage: ['accept [--json]', 'accept NAME [--yes] [--json]', 'accept --all [--yes] [--json]'],
  details:
    'What lets a model do more than you accepted does not count until you accept it, unless you changed it with Foreword. ' +
    'Without a NAME, shows what waits: what it lets through, and the difference. An acceptance is valid for exactly what was ' +
    'shown. What lets a model do less counts at once and never waits.',
  words: { least: 0, most: 1 },
  options: {
    all: { summary: 'accept everything that waits' },
    yes: { summary: 'accept without asking' },
    json: { summary: 'print one waiting change per line, or {accepted, digest} for each accepted one' },
  },
  async run(call, io) {
    const [name] = call.words
    const accepts = name !== undefined || call.has('all')
    if (accepts) refuseTools(io, 'accept changes')
    if (name !== undefined && call.has('all')) throw usageFailure('--all accepts everything.', 'Leave out the NAME.')
    if (!accepts && call.has('yes')) {
      throw usageFailure('--yes requires a NAME or --all.', 'Show what waits with `foreword accept`.')
    }
    const purpose = accepts ? connectionPurpose(call, io) : 'read'
    return await withConnection(call.home, io, purpose, (connection) =>
      accepts ? acceptChanges(connection, name, call, io) : showChanges(connection, call, io),
    )
  },
}

async function fetchWaiting(connection: GatewayConnection): Promise<readonly WaitingChange[]> {
  return (await requestJson<{ waiting: readonly WaitingChange[] }>(connection, '/api/acceptance')).waiting
}

async function showChanges(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const waiting = await fetchWaiting(connection)
  if (call.json) for (const change of waiting) printJson(io, change)
  else if (waiting.length === 0) note(io, 'Nothing waits.')
  else {
    print(io, waiting.map((change) => changeText(change, io)).join('\n\n'))
    note(io, '\nAccept one with `foreword accept NAME`, or everything with `foreword accept --all`.')
  }
  return 0
}

async function acceptChanges(
  connection: GatewayConnection,
  name: string | undefined,
  call: CommandCall,
  io: Io,
): Promise<number> {
  const waiting = await fetchWaiting(connection)
  const chosen = name === undefined ? waiting : [findChange(name, waiting)]
  if (chosen.length === 0) {
    note(io, 'Nothing waits.')
    return 0
  }
  if (!call.json) print(io, chosen.map((change) => changeText(change, io)).join('\n\n'))
  const question = chosen.length === 1 ? 'Accept it?' : `Accept all ${chosen.length}?`
  if (!(await confirmAction(question, call, io, 'Accept what was shown with `--yes`.'))) {
    note(io, 'Nothing was accepted.')
    return 1
  }
  for (const change of chosen) {
    const { digest } = change
    await requestJson(connection, '/api/acceptance', { method: 'POST', body: { name: change.name, digest } })
    if (call.json) printJson(io, { accepted: change.name, digest })
    else note(io, `Accepted ${exactLine(change.name)}. It takes effect at the next step.`)
  }
  return 0
}

function findChange(name: string, waiting: readonly WaitingChange[]): WaitingChange {
  if (waiting.length === 0) {
    throw new CommandFailure('not-found', `No change of ${name} waits.`, { hint: 'Nothing else waits either.' })
  }
  const hint = 'Show what waits with `foreword accept`.'
  return findByName(name, waiting, (change) => ({ id: change.name, name: change.name }), 'waiting change', hint)
}

function changeText({ name, words, difference }: WaitingChange, io: Io): string {
  const lines = exactLines(difference.trimEnd()).split('\n')
  return [
    applyStyle(io, 'bold', exactLine(name)),
    ...words.map((each) => `  ${exactLine(each)}`),
    '',
    ...lines.map((line) => `  ${diffLine(line, io)}`),
  ].join('\n')
}

function diffLine(line: string, io: Io): string {
  if (line.startsWith('+')) return applyStyle(io, 'green', line)
  return line.startsWith('-') ? applyStyle(io, 'red', line) : line
}
