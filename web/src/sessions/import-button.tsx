import { Upload } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { useLocation } from 'wouter'
import type { ApiError } from '../api/client.ts'
import { importSession } from '../api/session-requests.ts'
import { IconButton } from '../parts/icon-button.tsx'
import { showToast } from '../parts/toasts.tsx'
import { finishDeletion } from './pending-deletion.ts'

/** Imports an exported session from a file and opens it. Where its id is taken, a copy is offered. */
export function ImportButton(): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  const [, navigate] = useLocation()

  const bringIn = async (file: File, as?: string): Promise<void> => {
    try {
      if (as === undefined) await finishDeletion(await exportedSession(file))
      const { id } = await importSession(file, as)
      navigate(`/sessions/${encodeURIComponent(id)}`)
    } catch (failed) {
      const { message, facts } = failed as ApiError
      const copy = {
        label: 'Import a copy',
        run: () => void bringIn(file, `session_${crypto.randomUUID().slice(0, 8)}`),
      }
      showToast({ text: message, ms: 12_000, ...(facts['store'] === 'conflict' ? { action: copy } : {}) })
    }
  }
  return (
    <>
      <IconButton label="Import a session" onClick={() => input.current?.click()}>
        <Upload size={16} aria-hidden />
      </IconButton>
      <input
        ref={input}
        type="file"
        accept=".jsonl,.ndjson,application/jsonl"
        aria-label="File with an exported session"
        className="hidden"
        onChange={({ target }) => {
          const file = target.files?.[0]
          target.value = ''
          if (file) void bringIn(file)
        }}
      />
    </>
  )
}

/** The longest first line that is read, bytes. */
const HEADER_BYTES = 65_536

/** Id of the session of an export; empty where its first line cannot be read, which the gateway tells. */
async function exportedSession(file: File): Promise<string> {
  try {
    const [header = ''] = (await file.slice(0, HEADER_BYTES).text()).split('\n', 1)
    const { session } = JSON.parse(header) as { readonly session?: { readonly id?: unknown } }
    return typeof session?.id === 'string' ? session.id : ''
  } catch {
    return ''
  }
}
