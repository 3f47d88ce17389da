import { defined } from '../../platform.ts'
import type { RankedPassage, RecallAnswer } from '../../search.ts'
import { ask } from '../answer.ts'
import type { CommandCall, Connection, Io } from '../../capability.ts'
import { connected } from '../connection.ts'
import { exactLine } from '../exact-text.ts'
import { findSession } from '../find-session.ts'
import { note, print, printJson, width } from '../io.ts'
import { styled } from '../style.ts'
import { oneLine } from '../table.ts'
import { timeText } from '../time-text.ts'
import { limitOf } from './limit.ts'
import { snippet } from './snippet.ts'

/** Shows what was said and done in sessions, best first, and how to read on. */
export async function searchHistory(call: CommandCall, io: Io): Promise<number> {
  const text = call.words.join(' ')
  const answer = await connected(call.home, io, 'read', (connection) => askHistory(connection, text, call))
  if (call.json) {
    printJson(io, answer)
    return 0
  }
  for (const passage of answer.passages) showPassage(passage, text, io)
  for (const line of remarks(answer)) note(io, styled(io, 'dim', line, io.stderr))
  return 0
}

async function askHistory(connection: Connection, text: string, call: CommandCall): Promise<RecallAnswer> {
  const [session, limit] = [call.text('session'), limitOf(call)]
  const query = new URLSearchParams({
    q: text,
    ...(session === undefined ? {} : { session: await findSession(connection, session) }),
    ...defined({ limit }),
  })
  return await ask<RecallAnswer>(connection, `/api/search/history?${query.toString()}`)
}

function showPassage(passage: RankedPassage, text: string, io: Io): void {
  const { session, ordinal, role, time, call, before, after, undone } = passage
  const said = call ? `tool ${exactLine(call.name)}${call.ok === false ? ' (failed)' : ''}` : role
  print(
    io,
    `${styled(io, 'bold', `turn ${ordinal}`)}  ${undone === true ? '(taken back)  ' : ''}${said}  ${timeText(time, new Date())}  ${styled(io, 'dim', session)}`,
  )
  const around = Math.max(40, width(io) - 20)
  if (before) print(io, styled(io, 'dim', `  ${before.role}: ${oneLine(exactLine(before.text), around)}`))
  const marked = snippet(passage.text, [text, ...passage.matched].join(' '), Math.max(60, 2 * width(io) - 20))
  print(io, `  ${marked.map(({ word, hit }) => (hit ? styled(io, 'yellow', word) : word)).join('')}`)
  if (after) print(io, styled(io, 'dim', `  ${after.role}: ${oneLine(exactLine(after.text), around)}`))
}

function remarks({ passages, found, missing, nearest, complete }: RecallAnswer): readonly string[] {
  const first = passages[0]
  return [
    ...(found === 'nothing' ? ['Nothing was found.'] : []),
    ...(missing.length > 0 ? [`found nowhere: ${missing.map(exactLine).join(', ')}`] : []),
    ...(nearest.length > 0 ? [`looked for instead: ${nearest.map(exactLine).join(', ')}`] : []),
    ...(complete
      ? []
      : ['Older sessions are still being indexed: there may be more. `foreword start` goes on with it.']),
    ...(first ? [`Read on: foreword sessions show ${first.session}`] : []),
  ]
}
