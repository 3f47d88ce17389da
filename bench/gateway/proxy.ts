import { Agent, createServer, request as send } from 'node:http'

/** The least a gateway can do: pass the request on and stream the answer back. Takes the provider's port, prints its own. */
const port = Number(process.argv[2])
const agent = new Agent({ keepAlive: true })
const server = createServer((request, response) => {
  const { method, url: path, headers } = request
  const outgoing = send({ host: '127.0.0.1', port, agent, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  outgoing.on('error', () => response.destroy())
  request.pipe(outgoing)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.stdout.write(`${address.port}\n`)
})
