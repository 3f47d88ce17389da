/** The least that a proxy in Node does: pipes each request to the vendor and its answer back. Prints its address. */
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

const vendor = new URL(process.env['BENCH_VENDOR']!)
const agent = new Agent({ keepAlive: true })
const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
  const { method, url, headers } = incoming
  const sent = request({ host: vendor.hostname, port: vendor.port, method, path: url, headers, agent }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  incoming.pipe(sent)
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
