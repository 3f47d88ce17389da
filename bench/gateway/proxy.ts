import { Agent, createServer, request as send } from 'node:http'

/** The least that a gateway can do: forward the request and stream the answer. It prints its port. */
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
