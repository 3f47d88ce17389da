import type { ReactNode } from 'react'
import type { GrantedTool } from '../../../src/capability.ts'
import { useMay } from '../api/caller.ts'
import { api } from '../api/client.ts'
import { useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { useAction } from '../parts/use-action.ts'
import { t } from '../language/language.ts'

/** Tools that are approved for the session, read again whenever the window opens. */
export function GrantedTools({ path }: { readonly path: string }): ReactNode {
  const { data, error, mutate } = useResource<{ readonly granted: readonly GrantedTool[] }>(path, {
    dedupingInterval: 0,
  })
  const may = useMay('approve')
  const { busy, error: refusal, act } = useAction()
  const failure = refusal ?? error
  return (
    <>
      {failure && <ErrorNote error={failure} />}
      {data !== undefined && data.granted.length > 0 && (
        <div className="flex flex-col gap-1">
          <p className="font-medium">{t`Approved for this session`}</p>
          <p className="text-xs text-soft">{t`Not asked about because of what was read.`}</p>
          <ul aria-label={t`Tools approved for this session`} className="flex flex-col gap-1">
            {data.granted.map(({ tool }) => (
              <li key={tool} className="flex items-center gap-2">
                <span className="min-w-0 flex-1 font-mono wrap-anywhere">{tool}</span>
                {may && (
                  <Button
                    look="plain"
                    disabled={busy}
                    aria-label={t`Take back ${tool}`}
                    onClick={({ currentTarget }) => {
                      // The button goes with its line.
                      currentTarget.closest<HTMLElement>('[popover]')?.focus()
                      void act(() => api(`${path}/${encodeURIComponent(tool)}`, { method: 'DELETE' })).then(() =>
                        mutate(),
                      )
                    }}
                  >
                    {t`Take back`}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}
