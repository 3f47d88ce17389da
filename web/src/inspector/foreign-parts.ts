import type { Manifest, Piece } from '../../../src/context.ts'
import type { ApiError } from '../api/client.ts'
import { useResource } from '../api/resources.ts'
import type { Assembled } from './what-if-assembly.ts'

/** What a call of another program sent, with the exact texts. `undefined` asks for nothing. */
export function useForeignParts(call: string | undefined): {
  readonly assembled: Assembled | undefined
  readonly error: ApiError | undefined
} {
  const { data, error } = useResource<{ readonly manifest: Manifest; readonly pieces: readonly Piece[] }>(
    call === undefined ? undefined : `/api/calls/${encodeURIComponent(call)}/parts`,
    { revalidateOnFocus: false, revalidateIfStale: false },
  )
  return { assembled: data && { ...data, layers: [], estimated: false }, error }
}
