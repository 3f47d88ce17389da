import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Connection } from '../../capability.ts'
import type { FileRow } from '../../session.ts'
import { refusal } from '../answer.ts'
import { CommandFailure } from '../failure.ts'
import { fileFailure } from '../read-file.ts'
import { formBody } from './form-body.ts'

/** What files belong to; nothing: the message that they are attached to. */
export type Belonging = Readonly<Record<string, string>>

/** How much of a file has gone. */
export interface Sent {
  readonly bytes: number
  readonly of: number
}

/** Hands one file in. When this resolves its bytes are on the disk of the gateway. */
export async function sendFile(
  connection: Connection,
  path: string,
  belonging: Belonging,
  onSent: (sent: Sent) => void,
): Promise<FileRow & { readonly repeated?: true }> {
  const { size, handle } = await opened(path)
  try {
    const bytes = handle.readableWebStream({ autoClose: false }) as ReadableStream<Uint8Array>
    const { type, body } = formBody(basename(path), bytes, (sent) => onSent({ bytes: sent, of: size }))
    const request = { method: 'POST', headers: { 'content-type': type }, body, duplex: 'half' } as const
    const response = await connection.fetch(`/api/files?${new URLSearchParams(belonging).toString()}`, request)
    if (!response.ok) throw await refusal(response)
    const { files } = (await response.json()) as { readonly files: readonly [FileRow & { readonly repeated?: true }] }
    return files[0]
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    throw new CommandFailure('network', `${path} could not be handed in: ${why}.`, {
      hint: 'Is the gateway still up? Hand it in again.',
      cause: error,
    })
  } finally {
    await handle.close()
  }
}

/** A pipe or a device would be waited for without end. */
async function opened(path: string) {
  try {
    const found = await stat(path)
    if (found.isFile()) return { handle: await open(path, 'r'), size: found.size }
    if (!found.isDirectory()) throw Object.assign(new Error('it is a pipe or a device'), { code: 'EINVAL' })
  } catch (error) {
    throw fileFailure(path, 'read', error)
  }
  throw fileFailure(path, 'read', Object.assign(new Error('it is a folder'), { code: 'EISDIR' }))
}
