import { request } from './client.ts'

/** The bytes of a file, as it was handed in. Rejects with `ApiError`. */
export async function fileContent(file: string, signal: AbortSignal): Promise<Blob> {
  return (await request(`/api/files/${encodeURIComponent(file)}/content`, { signal })).blob()
}
