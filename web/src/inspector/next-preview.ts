import { createAsked } from '../parts/asked.ts'
import type { ApiError } from '../api/client.ts'
import type { Preview } from '../api/resources.ts'

/** What the gateway said last of the next call. The line under the field asks, and the inspector shows the same. */
interface NextPreview {
  readonly session: string | undefined
  readonly preview?: Preview
  readonly error?: ApiError
  /** The same message for the second model. */
  readonly beside?: { readonly model: string; readonly preview?: Preview; readonly error?: ApiError } | undefined
}

export const nextPreview = createAsked<NextPreview>()
