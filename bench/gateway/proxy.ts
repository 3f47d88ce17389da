import { DatabaseSync } from 'node:sqlite'
import { Agent, createServer, request as send } from 'node:http'

/**
 * The least that a gateway can do: forward the request and stream the answer. With the path of a database it also does what
 * losing nothing takes: what came is on disk before it is forwarded, and that it was answered before its end. It prints its port.
 */
const [port, database] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })
const commit = database === undefined ? () => {} : committer(database)
// A connection that rests while others are measured stays open.
const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  const { method, url: path, headers } = request
  commit('accepted')
  const outgoing = send({ host: '127.0.0.1', port: Number(port), agent, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.on('data', (piece: Buffer) => response.write(piece))
    answer.on('end', () => {
      commit('answered')
      response.end()
    })
  })
  outgoing.on('error', () => response.destroy())
  request.pipe(outgoing)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.stdout.write(`${address.port}\n`)
})

/** Each call is a transaction of its own, with the settings of the gateway's store. */
function committer(path: string): (state: string) => void {
  const connection = new DatabaseSync(path)
  connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  connection.exec('CREATE TABLE calls (id INTEGER PRIMARY KEY, state TEXT, body TEXT) STRICT')
  const insert = connection.prepare('INSERT INTO calls (state, body) VALUES (?, ?)')
  return (state) => void insert.run(state, 'The words of a short message and of its answer.')
}
