import type { FileRow } from '../../../src/session.ts'
import { api, ApiError, request } from './client.ts'
import { underway } from './underway.ts'
import { t } from '../language/language.ts'

export type { FileRow }

interface UploadOptions {
  /** What it belongs to, such as `{ project: ID }`. Absent: it waits for a message that names it. */
  readonly owner?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** The share of its bytes that has left, 0 to 1. */
  onProgress(share: number): void
}

/** Hands a file in. Resolves when its bytes are on the disk of the gateway. Rejects with `ApiError`. */
export async function uploadFile(file: File, { owner, signal, onProgress }: UploadOptions): Promise<FileRow> {
  // The only way of a browser to report how much of a body has left.
  const call = new XMLHttpRequest()
  const form = new FormData()
  form.append('file', file, file.name)
  const sent = new Promise<UploadAnswer>((resolve, reject) => {
    call.open('POST', owner === undefined ? '/api/files' : `/api/files?${new URLSearchParams(owner).toString()}`)
    call.responseType = 'json'
    call.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total))
    call.addEventListener('load', () => resolve((call.response ?? {}) as UploadAnswer))
    call.addEventListener('error', () => reject(offline))
    call.addEventListener('abort', () => reject(signal.reason as Error))
    signal.addEventListener('abort', () => call.abort())
    call.send(form)
  })
  const answer = await underway(sent)
  const { error, files: [stored] = [], refused: [refusal] = [] } = answer
  const problem = error ?? refusal
  if (stored) return stored
  throw new ApiError(call.status, problem ?? { code: 'unreadable', message: t`The gateway answered ${call.status}.` })
}

/** The file once it is read, or could not be. */
export async function readUpload(id: string, signal: AbortSignal): Promise<FileRow> {
  for (;;) {
    const row = await api<FileRow>(`/api/files/${encodeURIComponent(id)}?wait=30000`, { signal })
    if (row.state.type !== 'processing') return row
  }
}

/** An address for the bytes of an image, within this page. Free it with `URL.revokeObjectURL`. */
export async function imageAddress(id: string, mediaType: string, signal: AbortSignal): Promise<string> {
  const content = request(`/api/files/${encodeURIComponent(id)}/content`, { signal })
  const bytes = await underway(content.then((response) => response.arrayBuffer()))
  return URL.createObjectURL(new Blob([bytes], { type: mediaType }))
}

interface UploadAnswer {
  readonly files?: readonly FileRow[]
  readonly refused?: readonly { readonly code: string; readonly message: string }[]
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string }
}

const offline = new ApiError(0, {
  code: 'offline',
  message: t`The file did not arrive: the gateway cannot be reached.`,
  hint: t`Check that \`foreword start\` is running, then try again.`,
})

/** The bytes of a file, as it was handed in. Rejects with `ApiError`. */
export async function fileContent(file: string, signal: AbortSignal): Promise<Blob> {
  return (await request(`/api/files/${encodeURIComponent(file)}/content`, { signal })).blob()
}
