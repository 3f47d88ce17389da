import { type ReactNode, useState } from 'react'
import { useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { isUnsaved, ServerForm } from './mcp-servers-form.tsx'
import { type ShownServer, type ServerList, SERVERS } from './mcp-servers-fields.ts'
import { useSWRConfig } from 'swr'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { Fold } from '../parts/fold.tsx'
import { providerTokens, TokensExplained, useCountedPrompt } from '../parts/provider-tokens.tsx'
import { sentence } from '../parts/sentence.ts'
import { useAction } from '../parts/use-action.ts'
import { ServerReview } from './mcp-servers-review.tsx'
import type { FileVersion } from '../../../src/capability.ts'
import { timeText } from '../parts/numbers.ts'
import { t, translated } from '../language/language.ts'

/** How often the list is read again while a server starts or has failed, and otherwise, ms. */
const SOON_MS = 1_000
const LATER_MS = 5_000

const isSettled = ({ servers }: ServerList): boolean =>
  servers.every(({ state }) => state === 'running' || state === 'disabled')

/** The MCP servers whose tools a model may use: how each is, and how it is configured. */
export default function McpServersPage(): ReactNode {
  const { data, error } = useResource<ServerList>(SERVERS, {
    refreshInterval: (latest) => (latest && !isSettled(latest) ? SOON_MS : LATER_MS),
  })
  const [adds, setAdds] = useState(() => isUnsaved(''))
  if (error && data === undefined) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  const add = <Button onClick={() => setAdds(true)}>{t`Add a server`}</Button>
  return (
    <div className="flex flex-col gap-6">
      <p className="text-soft">
        {t`Programs and addresses that offer tools over MCP. Their tools must be allowed like all others.`}
      </p>
      {error && <ErrorNote error={error} />}
      {data.servers.map((server) => (
        <ServerCard key={server.name} server={server} />
      ))}
      {adds ? (
        <ServerForm name="" written={undefined} onClose={() => setAdds(false)} />
      ) : data.servers.length === 0 ? (
        <Empty
          action={add}
        >{t`No server is configured yet. One gives a model the tools of a program or a service.`}</Empty>
      ) : (
        <div>{add}</div>
      )}
      <section aria-label={t`Earlier servers`} className="flex flex-col gap-2">
        <h2 className="text-lg font-semibold">{t`Earlier servers`}</h2>
        <ServerVersions />
      </section>
    </div>
  )
}

const states = {
  running: [t`Running`, 'text-good'],
  starting: [t`Starting`, 'text-soft'],
  failed: [t`Failed`, 'text-bad'],
  unusable: [t`Cannot be used`, 'text-bad'],
  disabled: [t`Not used`, 'text-soft'],
} as const

/** One server: how it is, its tools, what it has last written, and what can be done with it. */
function ServerCard({ server }: { readonly server: ShownServer }): ReactNode {
  const { name, state, why, hint, warnings, withheld, written } = server
  const [open, setOpen] = useState<'form' | 'removal' | undefined>(() => (isUnsaved(name) ? 'form' : undefined))
  const close = (): void => setOpen(undefined)
  const [title, look] = states[state]
  return (
    <article aria-label={name} className="flex flex-col gap-2 rounded-lg border border-line p-3 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 font-semibold break-words">{name}</h2>
        <span className={`grow font-medium ${look}`}>{title}</span>
        {state !== 'disabled' && state !== 'unusable' && <Restart name={name} />}
        <Button look="plain" aria-label={t`Change ${name}`} onClick={() => setOpen('form')}>
          {t`Change`}
        </Button>
        <Button look="plain" aria-label={t`Remove ${name}`} onClick={() => setOpen('removal')}>
          {t`Remove`}
        </Button>
      </div>
      <p className="font-mono text-xs break-all text-soft">
        {written?.url ?? [written?.command ?? '', ...(written?.args ?? [])].join(' ')}
      </p>
      {why !== undefined && (
        <div className="break-words">
          <p className="text-bad">{translated(sentence(why))}</p>
          {hint !== undefined && <p className="text-soft">{translated(hint)}</p>}
        </div>
      )}
      {warnings.map(translated).map((warning) => (
        <p key={warning} className="break-words text-warn">
          {sentence(warning)}
        </p>
      ))}
      {withheld.length > 0 && (
        <p className="break-words text-warn">
          {t`Withheld, since their definitions have changed: ${withheld.join(', ')}.`}{' '}
          <Link href="/settings/tools" className="text-accent underline">
            {t`See the differences`}
          </Link>
        </p>
      )}
      <ServerTools server={server} />
      <LastLines server={server} />
      {open === 'form' && <ServerForm name={name} written={written} onClose={close} />}
      {open === 'removal' && (
        <section aria-label={t`Remove ${name}`} className="rounded-lg border border-line bg-raised p-3">
          <ServerReview change={{ name, server: null }} action={t`Remove`} danger onSaved={close} onCancel={close}>
            <p className="text-soft">{t`Its tools are no longer offered. It can be put back below.`}</p>
          </ServerReview>
        </section>
      )}
    </article>
  )
}

function Restart({ name }: { readonly name: string }): ReactNode {
  const { mutate } = useSWRConfig()
  const { busy, error, act } = useAction()
  const restart = async (): Promise<void> => {
    await act(() => api(`${SERVERS}/${encodeURIComponent(name)}/restart`, { method: 'POST' }))
    await Promise.all([mutate(SERVERS), mutate('/api/tools')])
  }
  return (
    <>
      <Button look="plain" disabled={busy} aria-label={t`Restart ${name}`} onClick={() => void restart()}>
        {busy ? t`Restarting …` : t`Restart`}
      </Button>
      {error && <ErrorNote error={error} />}
    </>
  )
}

function ServerTools({ server: { tools } }: { readonly server: ShownServer }): ReactNode {
  if (tools.length === 0) return null
  const prompt = useCountedPrompt()
  const tokens = providerTokens(
    tools.reduce((sum, each) => sum + each.tokens, 0),
    prompt,
  )
  const title =
    tools.length === 1
      ? t`One tool, ${tokens} tokens of definitions`
      : t`${tools.length} tools, ${tokens} tokens of definitions`
  return (
    <Fold summary={title} summaryClassName="cursor-pointer">
      <ul className="divide-y divide-line py-1">
        {tools.map((tool) => (
          <li key={tool.name} className="flex flex-wrap gap-x-3 py-1">
            <span className="min-w-0 flex-1 font-mono break-words">{tool.name}</span>
            <span className="text-soft">{t`${providerTokens(tool.tokens, prompt)} tokens`}</span>
            <span className="w-full text-xs break-all text-soft">{t`Accepted definition ${tool.digest}`}</span>
          </li>
        ))}
      </ul>
      <TokensExplained prompt={prompt} />
    </Fold>
  )
}

function LastLines({ server: { stderr } }: { readonly server: ShownServer }): ReactNode {
  if (stderr.length === 0) return null
  return (
    <Fold summary={t`What it has last written on its error output`} summaryClassName="cursor-pointer">
      <pre
        tabIndex={0}
        className="mt-1 max-h-64 overflow-auto rounded-md border border-line bg-sunken p-2 text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {stderr.join('\n')}
      </pre>
    </Fold>
  )
}

/** The servers as they were configured before. Each version is put back as a whole, after its difference was shown. */
function ServerVersions(): ReactNode {
  const { data, error } = useResource<{ readonly versions: readonly FileVersion[] }>(`${SERVERS}/versions`)
  const [chosen, setChosen] = useState<number>()
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  const earlier = data.versions.slice(1)
  if (earlier.length === 0) return <p className="text-sm text-soft">{t`The servers were not changed here yet.`}</p>
  const close = (): void => setChosen(undefined)
  return (
    <ul className="divide-y divide-line text-sm">
      {earlier.map(({ version, time, text }) => (
        <li key={version} className="flex flex-col gap-2 py-2">
          <div className="flex flex-wrap items-center gap-x-3">
            <time dateTime={time}>{timeText(time)}</time>
            <span className="min-w-0 grow break-words text-soft">{namesIn(text)}</span>
            <Button
              look="plain"
              aria-label={t`Put back the servers of ${timeText(time)}`}
              onClick={() => setChosen(version)}
            >
              {t`Put back`}
            </Button>
          </div>
          {chosen === version && (
            <ServerReview change={{ version }} action={t`Put back`} onSaved={close} onCancel={close} />
          )}
        </li>
      ))}
    </ul>
  )
}

function namesIn(text: string): string {
  const names = Object.keys(JSON.parse(text) as object)
  return names.length === 0 ? t`no server` : names.join(', ')
}
