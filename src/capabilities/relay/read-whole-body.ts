import type { IncomingMessage } from 'node:http'
import { ForewordError } from '../../platform.ts'

export function readWholeBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let bytes = 0
  return new Promise((resolve, reject) => {
    incoming.on('data', (part: Buffer) => {
      bytes += part.byteLength
      if (bytes <= maxBytes) return void parts.push(part)
      incoming.pause()
      incoming.removeAllListeners('data')
      reject(tooLarge(maxBytes))
    })
    incoming.once('end', () => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts, bytes)))
    incoming.once('error', () => resolve(undefined))
    incoming.once('close', () => resolve(undefined))
  })
}

function tooLarge(maxBytes: number): ForewordError {
  return new ForewordError(
    'body-too-large',
    `The body is larger than the limit of ${maxBytes} bytes.`,
    { maxBytes },
    { hint: 'Send less, or raise through.maxBodyMegabytes.' },
  )
}
