import { type ReactNode, useState } from 'react'
import { useResource } from '../api/resources.ts'
import type { FileRow } from '../api/upload.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { ExactText } from '../parts/exact-text.tsx'
import { count } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'

/** Characters that are shown at once. */
const PAGE = 20_000

interface FileTextProps {
  readonly file: FileRow
  /** Characters before the place that somebody wants to see. */
  readonly start?: number
}

/** The text of a file as a model reads it, in pieces. */
export function FileText({ file: { id, name }, start = 0 }: FileTextProps): ReactNode {
  const [from, setFrom] = useState(start)
  const { data, error } = useResource<TextPiece>(
    `/api/files/${encodeURIComponent(id)}/text?offset=${from}&limit=${PAGE}`,
    { revalidateOnFocus: false, shouldRetryOnError: false },
  )
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner label="Reading the file" />
  const { text, offset, total, next } = data
  return (
    <div className="flex flex-col gap-2 pe-2 pb-2">
      <p className="text-xs text-soft">
        {`Characters ${count(Math.min(offset + 1, total))} to ${count(offset + text.length)} of ${count(total)}`}
      </p>
      <ExactText label={`Text of ${name}`} text={text} />
      {(offset > 0 || next !== undefined) && (
        <div className="flex gap-2">
          <Button look="plain" disabled={offset === 0} onClick={() => setFrom(Math.max(0, offset - PAGE))}>
            Earlier text
          </Button>
          <Button look="plain" disabled={next === undefined} onClick={() => setFrom(next!)}>
            Later text
          </Button>
        </div>
      )}
    </div>
  )
}

interface TextPiece {
  readonly text: string
  readonly offset: number
  readonly total: number
  /** Absent: this is the last. */
  readonly next?: number
}
