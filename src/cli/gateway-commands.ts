import type { Command, CommandCall, GatewayConnection, Io } from '../capability.ts'
import { type Purpose, withConnection } from './connection.ts'
import { printAnswer, printChange, printList } from './io.ts'

type Ask<Answer> = (connection: GatewayConnection, call: CommandCall, io: Io) => Promise<Answer>

/** Runs a command that asks the gateway and prints the answer: JSON with `--json`, else what `show` returns or prints. */
export function answerCommand<Answer>(
  ask: Ask<Answer>,
  show: (answer: Answer, io: Io, call: CommandCall) => string | void,
  purpose: Purpose = 'read',
): Command['run'] {
  return async (call, io) => {
    const answer = await withConnection(call.home, io, purpose, (connection) => ask(connection, call, io))
    return printAnswer(answer, () => show(answer, io, call), call, io)
  }
}

interface ShownList<Item> {
  readonly empty: string
  readonly table: (items: readonly Item[], io: Io, call: CommandCall) => string
}

export function listCommand<Item>(fetch: Ask<readonly Item[]>, { empty, table }: ShownList<Item>): Command['run'] {
  return async (call, io) => {
    const items = await withConnection(call.home, io, 'read', (connection) => fetch(connection, call, io))
    return printList(items, { empty, table: () => table(items, io, call) }, call, io)
  }
}

/** Runs a command that changes something and says so: `facts` of the answer as JSON with `--json`, else a sentence. */
export function changeCommand<Answer>(
  send: Ask<Answer>,
  sentence: (answer: Answer, call: CommandCall) => string,
  facts: (answer: Answer) => unknown = (answer) => answer,
): Command['run'] {
  return async (call, io) => {
    const answer = await withConnection(call.home, io, 'write', (connection) => send(connection, call, io))
    return printChange(facts(answer), sentence(answer, call), call, io)
  }
}
