import type { ReactNode } from 'react'
import { calibratedManifest, windowShare } from '../../../src/context.ts'
import { useCaller, useMay } from '../api/caller.ts'
import type { SetupProvider } from '../api/resources.ts'
import { entryKind, kindTitles } from '../inspector/bar-segments.ts'
import { ContextBar } from '../inspector/context-bar.tsx'
import { Figure } from '../inspector/figure.tsx'
import type { NextCall } from '../inspector/next-call.ts'
import { nextPreview } from '../inspector/next-preview.ts'
import { count, localNumbers } from '../parts/numbers.ts'
import { ModelForms } from './model-forms.tsx'
import { inSentence, t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import { useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { useAction } from '../parts/use-action.ts'
import { SetupCard } from './setup-card.tsx'

interface StartPageProps {
  readonly next: NextCall
  readonly providers: readonly SetupProvider[]
}

/**
 * Shown in place of an empty conversation while no model is attached: what Foreword is, in one sentence and with the bar of the
 * next message, three examples that the rehearsal answers, and the providers of models.
 */
export default function StartPage({ next, providers }: StartPageProps): ReactNode {
  const isKnown = useCaller() !== undefined
  const isOwner = useMay('admin')
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4">
      <div className="mx-auto flex max-w-2xl flex-col gap-5 py-8">
        <div className="flex flex-col gap-1.5">
          <h2 className="text-2xl leading-tight text-balance font-semibold tracking-tight sm:text-3xl">
            {t`See every word your model reads, before it speaks.`}
          </h2>
          <p className="text-soft">
            {t`This bar is your next message: what fills it, what it costs, what was left out, and why. Try it without a model: the rehearsal answers.`}
          </p>
        </div>
        <NextBar next={next} />
        <Examples />
        {isOwner && (
          <section aria-label={t`Models`} className="flex flex-col gap-3">
            <h3 className="font-semibold">{t`Attach a model`}</h3>
            <ModelForms providers={providers} />
            <p className="text-xs text-soft">
              {t`Foreword runs on this machine. A key is kept in a file of its own in the home, and is sent to its provider only.`}
            </p>
          </section>
        )}
        {isKnown && !isOwner && (
          <p>{t`No model is attached to this gateway yet. Its owner has to attach one; until then the rehearsal answers.`}</p>
        )}
      </div>
    </div>
  )
}

/** The bar of the message as it is typed, and what it consists of in words. */
function NextBar({ next }: { readonly next: NextCall }): ReactNode {
  const shown = nextPreview.useAsked()
  const preview = shown && shown.session === next.session ? shown.preview : undefined
  if (preview === undefined) return <div className="h-9" />
  const { total, window } = preview.figures
  const manifest = calibratedManifest(preview.manifest, total)
  const sent = manifest.entries.filter(({ tokens }) => tokens > 0)
  const parts = [...new Set(sent.map((entry) => inSentence(kindTitles[entryKind(entry)])))]
  return (
    <section aria-label={t`Your next message`}>
      <ContextBar manifest={manifest} label={t`Pieces of your next message`} />
      <p className="mt-1.5 text-sm text-soft">
        {rich`${(
          <Figure kind="total" call={undefined} value={total}>
            {localNumbers(windowShare(preview.figures))}
          </Figure>
        )} of ${(
          <Figure kind="window" call={undefined} value={window}>
            {count(window)}
          </Figure>
        )} tokens: ${parts.join(', ')}. Type below, and watch it grow.`}
      </p>
    </section>
  )
}

interface Example {
  readonly title: string
  readonly about: string
  /** Of its session, beside the model. */
  readonly choices: Readonly<Record<string, string>>
  readonly text: string
  /** Its person decides about a call. */
  readonly asks?: true
}

/** A window that is small enough to see something give way, tokens. */
const SMALL_WINDOW = 8_192

/** Real turns of the rehearsal, which follows the lines of a message that begin with a slash. */
const examples: readonly Example[] = [
  {
    title: t`A text that is too long`,
    about: t`What stays, what is cut, and how to read the rest`,
    choices: { skills: 'example-check-tides' },
    text: [t`When was the tide highest at Brest?`, '/call read_skill {"skill_name": "example-check-tides"}'].join('\n'),
  },
  {
    title: t`A tool that asks first`,
    about: t`See exactly what it would do, and allow it once`,
    asks: true,
    choices: { skills: 'example-record-tides' },
    text: [
      t`Please note when the tide is high at Brest.`,
      `/say ${t`I would add this line to the harbour log.`}`,
      '/call write_harbour_log {"line": "Brest: high water at 05:42 and 18:07"}',
      `/say ${t`The line is in the log. It is removed with this conversation.`}`,
    ].join('\n'),
  },
  {
    title: t`A hundred skills`,
    about: t`In which form they reach a small model`,
    choices: { skills: 'example-*' },
    text: t`Which of your skills helps me to plan a ferry?`,
  },
]

/** Conversations that show something of the bar, each made when it is asked for. */
function Examples(): ReactNode {
  const [, navigate] = useLocation()
  const { busy, error, act } = useAction()
  const isKnown = useCaller() !== undefined
  const decides = useMay('approve')
  return (
    <section aria-label={t`Examples`} className="flex flex-col gap-2">
      <div className="grid gap-3 sm:grid-cols-3">
        {examples
          .filter(({ asks }) => !asks || decides || !isKnown)
          .map((example) => (
            <SetupCard
              key={example.title}
              title={example.title}
              disabled={busy}
              onClick={() => void act(async () => navigate(`/sessions/${encodeURIComponent(await play(example))}`))}
            >
              {example.about}
            </SetupCard>
          ))}
      </div>
      <p className="text-xs text-soft">{t`Each is a conversation of its own. Delete it, and nothing of it stays.`}</p>
      {error && <ErrorNote error={error} />}
    </section>
  )
}

/** Makes the session of an example and sends its message. Resolves with its id. */
async function play({ title, choices, text }: Example): Promise<string> {
  const body = { title: t`Example: ${inSentence(title)}`, model: `rehearsal/${SMALL_WINDOW}`, ...choices }
  const { id } = await api<{ readonly id: string }>('/api/sessions', { method: 'POST', body })
  await api(`/api/sessions/${encodeURIComponent(id)}/messages`, { method: 'POST', body: { text } })
  return id
}
