import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useCaller, useMay } from '../api/caller.ts'
import { firstLine, useTemplates } from '../api/templates.ts'
import { composeText } from './composed-text.ts'
import { SetupCard } from '../setup/setup-card.tsx'
import { t } from '../language/language.ts'

/** Saved messages that are offered. */
const TEMPLATES_SHOWN = 2

interface FirstMessageProps {
  onFiles(): void
  onInspect(): void
}

/** Shown in place of an empty conversation: what it can begin with. */
export function FirstMessage({ onFiles, onInspect }: FirstMessageProps): ReactNode {
  const [, navigate] = useLocation()
  const templates = useTemplates()
  const isKnown = useCaller() !== undefined
  const isOwner = useMay('admin')
  if (templates === undefined || !isKnown) return null
  return (
    <section aria-label={t`Begin with`} className="min-h-0 flex-1 overflow-y-auto px-4">
      <div className="mx-auto flex min-h-full max-w-2xl flex-col justify-center gap-5 py-8">
        <div className="flex flex-col gap-1 text-center">
          <h2 className="text-2xl font-semibold tracking-tight">{t`What is it about?`}</h2>
          <p className="text-soft">{t`Write a message. The bar below shows what the model will read.`}</p>
        </div>
        <div className="grid gap-3 sm:grid-cols-2">
          {templates.slice(0, TEMPLATES_SHOWN).map(({ id, value: { name, text } }) => (
            <SetupCard key={id} title={`/${name}`} onClick={() => composeText(`/${name} `)}>
              <bdi className="line-clamp-2">{firstLine(text)}</bdi>
            </SetupCard>
          ))}
          <SetupCard title={t`A file`} onClick={onFiles}>
            {t`A document, a table, a picture or code. Its tokens are counted at once.`}
          </SetupCard>
          {isOwner && (
            <SetupCard title={t`Your folder`} onClick={() => navigate('/settings/tools')}>
              {t`Choose which tools may read and change the files of the workspace.`}
            </SetupCard>
          )}
          {isOwner && templates.length === 0 && (
            <SetupCard title={t`A message that you write often`} onClick={() => navigate('/settings/templates')}>
              {t`Keep it as a template, with fields for what changes.`}
            </SetupCard>
          )}
          {templates.length < TEMPLATES_SHOWN && (
            <SetupCard title={t`What the model reads`} onClick={onInspect}>
              {t`Every part of the next call, with its tokens and its price.`}
            </SetupCard>
          )}
        </div>
      </div>
    </section>
  )
}
