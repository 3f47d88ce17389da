import type { ReactNode } from 'react'
import type { BackupState, MadeBackup } from '../../../src/capabilities/backup/backup-state.ts'
import { api } from '../api/client.ts'
import { type Status, useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { CopyLine } from '../parts/copy-text.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { bytes, percent, timeText } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import { useAction } from '../parts/use-action.ts'
import { t, translated } from '../language/language.ts'
import { rich } from '../language/rich.ts'

const BACKUPS = '/api/backups'

/** How often the progress is read while an archive is made, ms. */
const PROGRESS_MS = 300

export default function BackupPage(): ReactNode {
  const { data, error, mutate } = useResource<BackupState>(BACKUPS, {
    refreshInterval: (latest) => (latest?.running ? PROGRESS_MS : 0),
  })
  const { error: refusal, act } = useAction()
  if (error && data === undefined) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  const make = async (): Promise<void> => {
    await act(() => api(BACKUPS, { method: 'POST' }))
    await mutate()
  }
  const { running, ready, failed, made } = data
  return (
    <div className="flex flex-col gap-6">
      <p className="text-soft">
        {t`Makes one archive of the whole home: sessions, files, prompts, workspace and configuration. The gateway goes on meanwhile.`}
      </p>
      <p className="rounded-lg border border-warn px-3 py-2 text-sm">
        {t`It contains the token of this gateway and the keys of your providers: keep it private.`}
      </p>
      {refusal && <ErrorNote error={refusal} />}
      {failed && (
        <ErrorNote error={{ message: translated(failed.message), hint: failed.hint && translated(failed.hint) }} />
      )}
      {running ? (
        <Progress {...running} />
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button look={ready ? 'plain' : 'primary'} onClick={() => void make()}>
            {ready ? t`Make another archive` : t`Make an archive`}
          </Button>
        </div>
      )}
      {ready && !running && <Ready backup={ready} />}
      <RestoreHelp name={ready?.name ?? 'ARCHIVE.tar.gz'} />
      <section aria-label={t`Archives that were made here`} className="flex flex-col gap-2">
        <h2 className="text-lg font-semibold">{t`Made here`}</h2>
        {made.length === 0 ? (
          <p className="text-sm text-soft">
            {rich`None yet. Archives of ${<code>foreword backup</code>} are not listed.`}
          </p>
        ) : (
          <ul className="divide-y divide-line text-sm">
            {made.map((each) => (
              <li key={each.time} className="flex flex-wrap gap-x-3 py-1.5">
                <time dateTime={each.time} className="min-w-0 flex-1">
                  {timeText(each.time)}
                </time>
                <span className="text-soft">{t`${each.files} files, ${bytes(each.bytes)}`}</span>
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  )
}

function Progress({ stage, done, all }: NonNullable<BackupState['running']>): ReactNode {
  const share = done === undefined || !all ? undefined : Math.min(1, done / all)
  return (
    <div role="status" className="flex flex-col gap-1 text-sm">
      <p>
        {share === undefined ? t`Making the archive: ${stage} …` : t`Making the archive: ${stage}, ${percent(share)}`}
      </p>
      <progress aria-label={t`Progress of the archive`} className="w-full accent-accent" value={share} max={1} />
    </div>
  )
}

function Ready({ backup }: { readonly backup: MadeBackup }): ReactNode {
  const { id, name, bytes: size, files, leftOut, outside } = backup
  return (
    <section aria-label={t`Ready`} className="flex flex-col gap-2 rounded-lg border border-line p-3 text-sm">
      <p className="font-medium break-all">{name}</p>
      <p className="text-soft">{t`${files} files, ${bytes(size)}. It was read back and verified.`}</p>
      <a
        href={`${BACKUPS}/${encodeURIComponent(id)}/archive`}
        download={name}
        className="self-start rounded-lg bg-accent px-3 py-1.5 font-medium text-accent-ink hover:brightness-95"
      >
        {t`Download`}
      </a>
      <p className="text-xs text-soft">{t`It can be downloaded for an hour, and until the gateway stops.`}</p>
      <Missing title={t`Not in the archive:`} items={leftOut} />
      <Missing title={t`Not in the archive because it is outside the home:`} items={outside} />
    </section>
  )
}

function Missing({ title, items }: { readonly title: string; readonly items: readonly string[] }): ReactNode {
  if (items.length === 0) return null
  return (
    <div className="text-warn">
      <p>{title}</p>
      <ul className="list-disc ps-5 break-all">
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </div>
  )
}

/** The command that restores an archive: it needs the home for itself, so no page can do it. */
function RestoreHelp({ name }: { readonly name: string }): ReactNode {
  const { data } = useResource<Status>('/api/status')
  const command = `foreword restore ${name} --replace${data ? ` --home ${quoted(data.home)}` : ''}`
  return (
    <section aria-label={t`Restore`} className="flex flex-col gap-2">
      <h2 className="text-lg font-semibold">{t`Restore`}</h2>
      <p className="text-sm text-soft">
        {t`Stop the gateway, then run this command. It verifies the archive first, and keeps the present home in a folder of its own.`}
      </p>
      <CopyLine text={command} />
    </section>
  )
}

/** For a POSIX shell, where it needs quotes. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
