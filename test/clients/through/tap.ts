import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sha256 } from '../../../src/platform.ts'

/** Stands between a program and the gateway, and keeps the digests of the bodies that the program sent. */
export interface Tap {
  readonly url: string
  readonly sent: () => readonly string[]
  readonly close: () => void
}

export async function openTap(gateway: string): Promise<Tap> {
  const sent: string[] = []
  const target = new URL(gateway)
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = []
    const onward = request(
      {
        host: target.hostname,
        port: target.port,
        method: incoming.method,
        path: incoming.url,
        headers: incoming.rawHeaders,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
        answer.pipe(outgoing)
        answer.on('close', () => answer.complete || outgoing.destroy())
      },
    )
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.on('data', (part: Buffer) => {
      parts.push(part)
      onward.write(part)
    })
    incoming.on('end', () => {
      if (incoming.method === 'POST') sent.push(sha256(Buffer.concat(parts)))
      onward.end()
    })
    incoming.on('error', () => onward.destroy())
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => sent,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
