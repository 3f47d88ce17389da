import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { ExactText } from '../parts/exact-text.tsx'
import { Fold } from '../parts/fold.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { SentLayer } from './version-sent.tsx'
import { type Subject, subjectPath } from './subjects-kind.ts'
import { SubjectLog } from './subjects-log.tsx'
import { SubjectNotes } from './subjects-notes.tsx'
import { SubjectProposals } from './subjects-proposals.tsx'

/** One subject: what a model reads of it, its files, its log, and the proposals about it. */
export function SubjectDetail({ id }: { readonly id: string }): ReactNode {
  const { data, error, mutate } = useResource<Subject>(subjectPath(id))
  return (
    <div className="flex flex-col gap-6">
      <Link href="/settings/subjects" className="text-sm text-accent underline">
        All subjects
      </Link>
      {error && <ErrorNote error={error} />}
      {data === undefined && !error && <Spinner />}
      {data !== undefined && <Content subject={data} readAgain={() => void mutate()} />}
    </div>
  )
}

function Content({ subject, readAgain }: { readonly subject: Subject; readAgain(): void }): ReactNode {
  const { id, title, context, warnings } = subject
  const { brief, tastes } = context
  const genres = Object.entries(tastes.genres)
  return (
    <>
      <div>
        <h2 className="text-lg font-semibold">{id}</h2>
        {title !== '' && (
          <p className="text-soft" dir="auto">
            {title}
          </p>
        )}
      </div>
      {warnings.length > 0 && (
        <ul aria-label="Warnings" className="flex flex-col gap-1 rounded-lg border border-warn px-3 py-2 text-sm">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      <SentLayer
        layer="subject"
        body={{ subject: id }}
        version={JSON.stringify(context)}
        none="With the model and the layout that are configured, nothing of it is sent."
      />
      <SubjectProposals subject={id} onDecided={readAgain} />
      <section aria-label="Files" className="flex flex-col gap-2 text-sm">
        <h2 className="text-lg font-semibold">Its files</h2>
        <p className="text-soft">
          They are files in the folders of subjects and tastes: edit them with any editor. The next turn reads them.
        </p>
        <Text title="Brief" text={brief.raw} />
        <SubjectNotes id={id} version={JSON.stringify(context)} />
        <Text title="Taste that always applies" text={tastes.default} />
        {genres.map(([name, text]) => (
          <Text key={name} title={`Taste ${name}`} text={text} />
        ))}
        {tastes.conflicts.map(({ point, files }) => (
          <p key={point} className="text-warn">{`“${point}” is in ${files.join(' and ')}.`}</p>
        ))}
      </section>
      <SubjectLog subject={subject} readAgain={readAgain} />
    </>
  )
}

function Text({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  if (text.trim() === '') return <p className="text-soft">{`${title}: empty.`}</p>
  return (
    <Fold summary={title}>
      <div className="mt-2">
        <ExactText label={title} text={text} />
      </div>
    </Fold>
  )
}
