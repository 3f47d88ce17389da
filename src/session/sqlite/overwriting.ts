import type { Connection } from './connection.ts'

/** What is removed meanwhile is overwritten in the file, not only given free. */
export function overwriting<Result>(connection: Connection, remove: () => Result): Result {
  connection.execute('pragma secure_delete = on')
  try {
    return remove()
  } finally {
    connection.execute('pragma secure_delete = off')
  }
}
