import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-text.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { beginsWithWord, sentence } from '../parts/sentence.ts'
import { Spinner } from '../parts/spinner.tsx'
import { Words } from '../parts/words.tsx'
import { settingsPages } from './settings-pages.ts'
import { ApiError, request } from '../api/client.ts'
import { underway } from '../api/underway.ts'
import { andText, timeText } from '../parts/numbers.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Finding } from '../../../src/capability.ts'

/** What `foreword doctor` finds: what is well, what is not, and what to do about it. */
export default function DoctorPage(): ReactNode {
  return (
    <div className="flex flex-col gap-5">
      <p className="text-sm text-soft">
        {rich`Checks that everything works, as ${<code>foreword doctor</code>} does. Nothing is changed.`}
      </p>
      <Checks path="/api/doctor" again={t`Run again`} toDo={t`To do`} inOrder={t`In order`} />
      <section aria-label={t`Security`} className="flex flex-col gap-5">
        <div>
          <h2 className="font-semibold">{t`Security`}</h2>
          <p className="text-sm text-soft">
            {rich`Checks for known holes, as ${<code>foreword doctor --security</code>} does. Nothing is changed; ${<code>foreword doctor --security --fix</code>} closes files to others.`}
          </p>
        </div>
        <Checks path="/api/doctor/security" again={t`Check again`} toDo={t`Holes`} inOrder={t`No holes`} />
      </section>
    </div>
  )
}

interface ChecksProps {
  readonly path: DoctorPath
  /** Names of the button and the two lists. */
  readonly again: string
  readonly toDo: string
  readonly inOrder: string
}

function Checks({ path, again, toDo: toDoLabel, inOrder }: ChecksProps): ReactNode {
  const { findings, running, error, run } = useDoctor(path)
  const toDo = levels.flatMap((level) => findings.filter((finding) => finding.level === level))
  const well = findings.filter(({ level }) => level === 'ok')
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <Button look="plain" disabled={running} onClick={run}>
          {again}
        </Button>
        <p role="status" className="text-sm">
          {statusText(findings, running)}
        </p>
        {running && <Spinner label={t`Checking`} />}
      </div>
      {error && <ErrorNote error={error} />}
      {toDo.length > 0 && <FindingList label={toDoLabel} findings={toDo} />}
      {well.length > 0 && <FindingList label={inOrder} findings={well} />}
    </>
  )
}

const levels = ['problem', 'warning'] as const

function statusText(findings: readonly Finding[], running: boolean): string {
  const [problems, warnings] = levels.map((level) => findings.filter((finding) => finding.level === level).length)
  const found = [
    ...(problems ? [problems === 1 ? t`1 problem` : t`${problems} problems`] : []),
    ...(warnings ? [warnings === 1 ? t`1 warning` : t`${warnings} warnings`] : []),
  ]
  if (running && found.length > 0) return t`Checking… ${findings.length} checked, ${andText(found)} so far.`
  if (running) return t`Checking… ${findings.length} checked.`
  if (found.length > 0) return t`${andText(found)}, ${findings.length} checked.`
  return findings.length === 0 ? '' : t`Everything is in order, ${findings.length} checked.`
}

interface FindingListProps {
  readonly label: string
  readonly findings: readonly NamedFinding[]
}

function FindingList({ label, findings }: FindingListProps): ReactNode {
  return (
    <section aria-label={label} className="flex flex-col gap-1">
      <h2 className="font-semibold">{label}</h2>
      <ul className="flex flex-col divide-y divide-line border-y border-line">
        {findings.map((finding, index) => (
          <FindingRow key={`${finding.id ?? finding.check} ${index}`} finding={finding} />
        ))}
      </ul>
    </section>
  )
}

const looks = {
  ok: { word: t`in order`, color: 'text-good' },
  warning: { word: t`warning`, color: 'text-warn' },
  problem: { word: t`problem`, color: 'text-bad' },
} as const

function FindingRow({ finding: { id, check, level, message, hint } }: { readonly finding: NamedFinding }): ReactNode {
  const { word, color } = looks[level]
  const page = level === 'ok' ? undefined : doctorPage(check, settingsPages)
  return (
    <li className="grid gap-x-4 gap-y-1 py-2 text-sm sm:grid-cols-[9rem_minmax(0,1fr)]">
      <p className="flex gap-2 sm:flex-col sm:gap-0">
        <span className="font-medium">{id === undefined ? check : `${id} ${check}`}</span>
        <span className={color}>{word}</span>
      </p>
      <div className="flex min-w-0 flex-col gap-1 break-words">
        <p>
          <Words>{withLocalTimes(level === 'ok' && !beginsWithWord(message) ? message : sentence(message))}</Words>
        </p>
        {hint !== undefined && <Hint text={hint} />}
        {page && (
          <Link href={`/settings/${page.id}`} className="self-start text-accent underline">
            {t`Open ${page.title}`}
          </Link>
        )}
      </div>
    </li>
  )
}

/** Times of this browser in place of times in UTC. */
function withLocalTimes(message: string): string {
  return message.replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, (time) => timeText(time))
}

/** What to do; commands in it are set off, and can be copied. */
function Hint({ text }: { readonly text: string }): ReactNode {
  const commands = [...text.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command)
  return (
    <div className="flex items-start gap-2 text-soft">
      <p className="min-w-0">
        <Words>{text}</Words>
      </p>
      {commands.length === 1 && commands[0]!.startsWith('foreword ') && <CopyButton text={commands[0]!} />}
    </div>
  )
}

/** A finding; of a known hole it has an id. */
type NamedFinding = Finding & { readonly id?: string }

interface DoctorChecks {
  /** In the order in which they came. */
  readonly findings: readonly NamedFinding[]
  readonly running: boolean
  readonly error: ApiError | undefined
  run(): void
}

/** Runs the checks once when the page is opened, and again when it is asked to. Leaving the page ends them. */
function useDoctor(path: DoctorPath): DoctorChecks {
  const [times, setTimes] = useState(0)
  const [findings, setFindings] = useState<readonly NamedFinding[]>([])
  const [running, setRunning] = useState(true)
  const [error, setError] = useState<ApiError>()
  useEffect(() => {
    const controller = new AbortController()
    setFindings([])
    setRunning(true)
    setError(undefined)
    underway(runDoctor(path, controller.signal, (finding) => setFindings((known) => [...known, finding])))
      .catch((failure: unknown) => {
        if (!controller.signal.aborted) setError(failure as ApiError)
      })
      .finally(() => {
        if (!controller.signal.aborted) setRunning(false)
      })
    return () => controller.abort()
  }, [path, times])
  const run = useCallback(() => setTimes((before) => before + 1), [])
  return { findings, running, error, run }
}

/** The page of the settings where one does something about a finding, by the name of its check where that is another. */
const pages: Readonly<Record<string, string>> = {
  model: 'models',
  policy: 'tools',
  shell: 'tools',
  mcp: 'mcp-servers',
  'mcp-client': 'mcp-servers',
  store: 'backup',
  contents: 'backup',
}

function doctorPage<Page extends { readonly id: string }>(check: string, all: readonly Page[]): Page | undefined {
  return all.find(({ id }) => id === (pages[check] ?? check))
}

/** The checks of the home, and those for known holes, whose findings have an id. */
type DoctorPath = '/api/doctor' | '/api/doctor/security'

/** Lets the gateway check its home, and passes on each finding as it comes. Rejects with `ApiError` where the checks break off. */
async function runDoctor(
  path: DoctorPath,
  signal: AbortSignal,
  onFinding: (finding: NamedFinding) => void,
): Promise<void> {
  const response = await request(path, { signal, headers: { accept: 'text/event-stream' } })
  const messages = response.body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const { data, event } of messages) {
    if (event === 'end') return
    if (event === 'error') {
      const { error } = JSON.parse(data) as { readonly error: ConstructorParameters<typeof ApiError>[1] }
      throw new ApiError(500, error)
    }
    if (event === 'finding') onFinding(JSON.parse(data) as NamedFinding)
  }
  throw new ApiError(0, {
    code: 'offline',
    message: t`The gateway stopped before the checks were over.`,
    hint: t`Check that \`foreword start\` is running, then run the checks again.`,
  })
}
