import { serialQueue } from '../../platform.ts'
import type { StoredBytes } from '../content.ts'
import { all, get, run, type Sql, statement } from '../tables/sql.ts'
import { type DatabaseClient, openClient, type PostgresAddress } from './client.ts'

const TABLE = `create table if not exists file_bytes (
  hash text not null, place bigint not null, piece text not null, primary key (hash, place))`

const insertPiece = statement<{ hash: string; place: number; piece: string }>(
  'insert into file_bytes (hash, place, piece) values (:hash, :place, :piece) on conflict (hash, place) do nothing',
)
const onePiece = statement<{ hash: string; place: number }, { piece: string }>(
  'select piece from file_bytes where hash = :hash and place = :place',
)
const deletePieces = statement<{ hash: string }>('delete from file_bytes where hash = :hash')
const allHashes = statement<object, { hash: string }>('select hash from file_bytes where place = 0')

/** Bytes of one row. Base64 makes them a third longer. */
const PIECE_BYTES = 512 * 1024

/** The bytes of files in a database, in rows of a bounded size, over a connection that is opened when it is needed. */
export function openByteTable(at: PostgresAddress): StoredBytes & { close(): Promise<void> } {
  const { add: alone } = serialQueue()
  let client: DatabaseClient | undefined

  async function connected(): Promise<DatabaseClient> {
    if (client && !client.isLost) return client
    client = await openClient(at)
    await client.execute(TABLE)
    return client
  }
  const work = <Result>(sql: () => Sql<Result>) => alone(async () => (await connected()).work(sql()))

  return {
    put: (hash, bytes) =>
      alone(async () => {
        const one = await connected()
        await one.begin('')
        try {
          let place = 0
          for await (const piece of inPieces(bytes, PIECE_BYTES))
            await one.work(run(insertPiece, { hash, place: place++, piece: Buffer.from(piece).toString('base64') }))
          await one.commit()
        } catch (error) {
          await one.execute('rollback').catch(() => {})
          throw error
        }
      }),
    async *read(hash) {
      for (let place = 0; ; place += 1) {
        const row = await work(() => get(onePiece, { hash, place }))
        if (row === undefined) return
        yield Buffer.from(row.piece, 'base64')
      }
    },
    remove: async (hash) => void (await work(() => run(deletePieces, { hash }))),
    hashes: async () => new Set((await work(() => all(allHashes, {}))).map(({ hash }) => hash)),
    close: () => alone(async () => client?.end()),
  }
}

/** Bytes in pieces of at least so many, but the last. There is one at least, so that an empty file is there, too. */
export async function* inPieces(
  bytes: AsyncIterable<Uint8Array>,
  least: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let waiting: Uint8Array[] = []
  let size = 0
  let isEmpty = true
  for await (const piece of bytes) {
    waiting.push(piece)
    size += piece.byteLength
    if (size < least) continue
    yield Buffer.concat(waiting)
    isEmpty = false
    waiting = []
    size = 0
  }
  if (size > 0 || isEmpty) yield Buffer.concat(waiting)
}
