import { planAppend, type StoredSession } from '../append-plan.ts'
import type { Entry, EntryBody } from '../entry.ts'
import type { Connection } from './connection.ts'
import { plan, type Slot } from './plan.ts'
import { sessionState } from './session-table.ts'
import { type Tables, tables } from './tables.ts'
import { insertTurn, shiftTurns, turn, turnOfKey, updateTurn } from './turn-table.ts'

/** Bodies of entries, and each as the JSON that is written. Made before the transaction, which everybody waits for. */
export interface WrittenBodies {
  readonly bodies: readonly EntryBody[]
  readonly data: readonly string[]
}

/** Bodies as they are written. */
export function writtenBodies(bodies: readonly EntryBody[]): WrittenBodies {
  return { bodies, data: bodies.map((body) => JSON.stringify(body)) }
}

/** Writes entries and what the projections make of them. To be run within a transaction. */
export function append(
  connection: Connection,
  session: string,
  { bodies, data }: WrittenBodies,
  time: string,
): readonly Entry[] {
  if (bodies.length === 0) return []
  const stored = {
    session: connection.get(sessionState, { id: session }),
    turn: (id: string) => turn(connection, session, id),
    turnByKey: (idempotencyKey: string) => turnOfKey(connection, session, idempotencyKey)?.turn,
  }
  const planned = planAppend(stored, session, bodies, time)

  connection.run(planned.isNewSession ? insertSession : updateSession, planned.session)
  planned.entries.forEach(({ seq, type }, index) => {
    const body = bodies[index]!
    const ofTurn = 'turn' in body ? body.turn : null
    connection.run(insertEntry, { session, seq, time, type, turn: ofTurn, data: data[index]! })
  })
  for (const shift of planned.shifts) connection.run(shiftTurns, { session, ...shift })
  for (const { row, isNew, idempotencyKey = null } of planned.turns) {
    if (isNew) connection.run(insertTurn, { ...row, idempotencyKey })
    else connection.run(updateTurn, row)
  }
  return planned.entries
}

const insertEntry = plan((slot: Slot<Tables['entries']>) =>
  tables.insertInto('entries').values({
    session: slot('session'),
    seq: slot('seq'),
    time: slot('time'),
    type: slot('type'),
    turn: slot('turn'),
    data: slot('data'),
  }),
)

const insertSession = plan((slot: Slot<StoredSession>) =>
  tables.insertInto('sessions').values({
    id: slot('id'),
    title: slot('title'),
    created: slot('created'),
    updated: slot('updated'),
    turns: slot('turns'),
    entries: slot('entries'),
    tokens: slot('tokens'),
    model: slot('model'),
    choices: slot('choices'),
  }),
)

const updateSession = plan((slot: Slot<StoredSession>) =>
  tables
    .updateTable('sessions')
    .set({
      updated: slot('updated'),
      turns: slot('turns'),
      entries: slot('entries'),
      tokens: slot('tokens'),
      model: slot('model'),
      choices: slot('choices'),
    })
    .where('id', '=', slot('id')),
)
