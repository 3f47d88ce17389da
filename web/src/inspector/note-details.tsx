import { type ReactNode, useState } from 'react'
import { mutate as readAgain } from 'swr'
import type { AnyMessage, Manifest, ManifestEntry } from '../../../src/context.ts'
import { api, type ApiError } from '../api/client.ts'
import { type SessionNote, type SessionNotes, useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Fold } from '../parts/fold.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { showToast } from '../parts/toasts.tsx'
import { useScenario } from './call-scenario.ts'
import { EntryText } from './entry-text.tsx'
import { historyTokens, numberInConversation } from './left-out-texts.ts'
import type { Inspected } from './inspected.ts'
import { contentText } from './share-texts.ts'
import { countedPrompt, providerTokens } from '../parts/provider-tokens.tsx'
import { nextPreview } from './next-preview.ts'
import { t } from '../language/language.ts'

interface NoteDetailsProps extends Inspected {
  readonly entry: ManifestEntry
  readonly manifest: Manifest
}

/** The turns that a note covers, and what can be done about the notes of the session. */
export function NoteDetails({ session, entry, manifest, ...inspected }: NoteDetailsProps): ReactNode {
  const path = `/api/sessions/${encodeURIComponent(session ?? '')}/notes`
  const { data, error } = useResource<SessionNotes>(session === undefined ? undefined : path)
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  const note = data.notes.find(({ id }) => id === entry.id)
  const newest = data.notes.at(-1)
  // The next call makes one of its own where it is about to cut.
  if (note === undefined) return <p className="text-soft">{t`The session does not have this note now.`}</p>
  return (
    <>
      <p>
        {note.by === undefined ? t`An index, without words of a model.` : t`The model wrote words of it.`}
        {data.fault !== undefined && note === newest && ` ${t`Its last answer became no note (${data.fault}).`}`}
        {data.noWords !== undefined && note === newest && ` ${data.noWords}`}
      </p>
      {entry.outcome === 'omitted' && <EntryText label={t`Text of the note that was not sent`} text={note.text} />}
      <Fold
        summaryClassName="text-soft"
        summary={note.turns === 1 ? t`What it covers: 1 turn` : t`What it covers: ${note.turns} turns`}
      >
        <Covered {...inspected} session={session} note={note} manifest={manifest} />
      </Fold>
      <NoteActions path={path} notes={data.notes.length} isNewest={note === newest} />
    </>
  )
}

function Covered({
  note,
  manifest,
  ...inspected
}: Omit<NoteDetailsProps, 'entry'> & { readonly note: SessionNote }): ReactNode {
  const { data, error } = useScenario({ ...inspected, history: historyTokens(manifest) })
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  const at = (turn: string): number => data.history.findIndex(({ id }) => id === turn)
  const [from, to] = [at(note.from), at(note.to)]
  const texts = data.history.slice(Math.max(0, from), to + 1).map(({ messages }, index) => {
    const text = messages.map((message) => contentText(message as AnyMessage)).join('\n\n')
    return `${t`Turn ${numberInConversation(Math.max(0, from) + index, manifest, data)}`}\n${text}`
  })
  if (texts.length === 0) return <p className="text-soft">{t`Their texts are no longer part of the input.`}</p>
  return <EntryText label={t`Turns that the note covers`} text={texts.join('\n\n')} />
}

interface NoteActionsProps {
  readonly path: string
  readonly notes: number
  /** Only the newest note can be written again. */
  readonly isNewest: boolean
}

function NoteActions({ path, notes, isNewest }: NoteActionsProps): ReactNode {
  const prompt = countedPrompt(nextPreview.useAsked() ?? {})
  const [busy, setBusy] = useState<'write' | 'forget'>()
  const [asks, setAsks] = useState(false)
  const [error, setError] = useState<ApiError>()
  const act = async (what: 'write' | 'forget', work: () => Promise<string>): Promise<void> => {
    setBusy(what)
    setError(undefined)
    try {
      showToast({ text: await work() })
      setAsks(false)
      refresh(path)
    } catch (failure) {
      setError(failure as ApiError)
    }
    setBusy(undefined)
  }
  const write = async (): Promise<string> => {
    const { tokens } = await api<SessionNote>(path, { method: 'POST' })
    return t`The note was written again, ${providerTokens(tokens, prompt)} tokens. It is in the next call.`
  }
  const forget = async (): Promise<string> => {
    const { forgotten } = await api<{ readonly forgotten: number }>(path, { method: 'DELETE' })
    return forgotten === 1
      ? t`1 note is left out from the next call on.`
      : t`${forgotten} notes are left out from the next call on.`
  }
  return (
    <>
      {error && <ErrorNote error={error} />}
      <div className="flex flex-wrap items-center gap-2">
        {isNewest && (
          <Button look="plain" disabled={busy !== undefined} onClick={() => void act('write', write)}>
            {busy === 'write' ? t`Writing …` : t`Write again`}
          </Button>
        )}
        <Button
          look="plain"
          aria-expanded={asks}
          disabled={busy !== undefined}
          onClick={() => setAsks((before) => !before)}
        >
          {t`Forget`}
        </Button>
      </div>
      {asks && (
        <div className="flex flex-col items-start gap-2 rounded-lg border border-warn p-2">
          <p>{t`The next call says that something was cut, and no more of it. The conversation itself stays.`}</p>
          <Button look="danger" disabled={busy !== undefined} onClick={() => void act('forget', forget)}>
            {notes === 1 ? t`Leave the note out` : t`Leave all ${notes} notes out`}
          </Button>
        </div>
      )}
      {isNewest && !asks && (
        <p className="text-soft">
          {t`Writing again is a call to the model, and what follows the note is then sent at its full price once.`}
        </p>
      )}
    </>
  )
}

/** The notes and the next call are read again, as when the person comes back to the window. */
function refresh(path: string): void {
  void readAgain(path)
  void readAgain((key) => Array.isArray(key) && key[0] === 'scenario' && key[2] === true)
  dispatchEvent(new Event('focus'))
}
