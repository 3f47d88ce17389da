import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useCaller, useMay } from '../api/caller.ts'
import { api } from '../api/client.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { useAction } from '../parts/use-action.ts'
import { SetupCard } from './setup-card.tsx'
import { inSentence, t } from '../language/language.ts'

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
export function Examples(): ReactNode {
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
