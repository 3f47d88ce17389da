import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { useAction } from '../parts/use-action.ts'
import { SetupCard } from './setup-card.tsx'

interface Example {
  readonly title: string
  readonly about: string
  /** Of its session, beside the model. */
  readonly choices: Readonly<Record<string, string>>
  readonly text: string
}

/** A window that is small enough to see something give way, tokens. */
const SMALL_WINDOW = 8_192

/** Real turns of the rehearsal, which follows the lines of a message that begin with a slash. */
const examples: readonly Example[] = [
  {
    title: 'A text that is too long',
    about: 'What stays, what is cut, and how to read the rest',
    choices: { skills: 'example-check-tides' },
    text: 'When was the tide highest at Brest?\n/call read_skill {"skill_name": "example-check-tides"}',
  },
  {
    title: 'A tool that asks first',
    about: 'See exactly what it would do, and allow it once',
    choices: { skills: 'example-record-tides' },
    text: [
      'Please note when the tide is high at Brest.',
      '/say I would add this line to the harbour log.',
      '/call write_harbour_log {"line": "Brest: high water at 05:42 and 18:07"}',
      '/say The line is in the log. It is removed with this conversation.',
    ].join('\n'),
  },
  {
    title: 'A hundred skills',
    about: 'In which form they reach a small model',
    choices: { skills: 'example-*' },
    text: 'Which of your skills helps me to plan a ferry?',
  },
]

/** Three conversations that show something of the bar, each made when it is asked for. */
export function Examples(): ReactNode {
  const [, navigate] = useLocation()
  const { busy, error, act } = useAction()
  return (
    <section aria-label="Examples" className="flex flex-col gap-2">
      <div className="grid gap-3 sm:grid-cols-3">
        {examples.map((example) => (
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
      <p className="text-xs text-soft">Each is a conversation of its own. Delete it, and nothing of it stays.</p>
      {error && <ErrorNote error={error} />}
    </section>
  )
}

/** Makes the session of an example and sends its message. Resolves with its id. */
async function play({ title, choices, text }: Example): Promise<string> {
  const body = { title: `Example: ${title.toLowerCase()}`, model: `rehearsal/${SMALL_WINDOW}`, ...choices }
  const { id } = await api<{ readonly id: string }>('/api/sessions', { method: 'POST', body })
  await api(`/api/sessions/${encodeURIComponent(id)}/messages`, { method: 'POST', body: { text } })
  return id
}
