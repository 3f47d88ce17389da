import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { Link, Route, Switch, useLocation } from 'wouter'
import { ChatPage } from '../chat/chat-page.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { type ListedSession, type Status, useResource } from '../api/resources.ts'
import { Menu } from 'lucide-react'
import { IconButton, Button } from '../parts/button.tsx'
import { shownPlace } from '../parts/asked.ts'
import { late } from '../parts/late.tsx'
import { Toasts } from '../parts/toasts.tsx'
import { SessionList } from '../sessions/session-list.tsx'
import type { ApiError } from '../api/client.ts'
import { onSignedOut } from '../api/signed-out.ts'
import { signIn } from '../api/sign-in.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'

const SettingsPage = late(
  () => import('../settings/settings-page.tsx'),
  () => null,
)

/** Every page below its address. The gateway serves the same document at each of these paths. */
export function App(): ReactNode {
  const signedIn = useSignedIn()
  if (signedIn === 'no' || signedIn === 'ended') return <SignInPage wasIn={signedIn !== 'no'} />
  return (
    <Shell>
      <Switch>
        <Route path="/">
          <ChatPage session={undefined} call={undefined} />
        </Route>
        <Route path="/sessions/:session/calls/:call">
          {({ session, call }) => <SessionPage key={session} session={session} call={call} />}
        </Route>
        <Route path="/sessions/:session">
          {({ session }) => <SessionPage key={session} session={session} call={undefined} />}
        </Route>
        <Route path="/settings/:page?">{({ page }) => <SettingsPage page={page} />}</Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
      <Shortcuts />
    </Shell>
  )
}

function NotFoundPage(): ReactNode {
  return (
    <main className="p-6">
      <h1 className="text-xl font-semibold">{t`This page does not exist`}</h1>
      <p className="mt-2">
        <Link href="/" className="text-accent underline">
          {t`Start a new conversation`}
        </Link>
      </p>
    </main>
  )
}

const ForeignPage = late(
  () => import('../foreign/foreign-page.tsx'),
  () => null,
)

interface SessionPageProps {
  readonly session: string
  /** The call that is open in the inspector. */
  readonly call: string | undefined
}

/** Nobody has typed before the first page is on the screen: only that one waits to know whose session it is. */
let isFirst = true

/** A session: the conversation, or the calls of the program that it belongs to. */
function SessionPage({ session, call }: SessionPageProps): ReactNode {
  const { data, error } = useResource<ListedSession>(`/api/sessions/${encodeURIComponent(session)}`)
  const isKnown = data !== undefined || error !== undefined
  useEffect(() => {
    if (isKnown) isFirst = false
  }, [isKnown])
  if (data?.program) return <ForeignPage session={data} program={data.program} call={call} />
  return isKnown || !isFirst ? <ChatPage session={session} call={call} /> : null
}

/** The frame of every page: the sessions on the left, the page beside them. On a narrow screen the sessions open over it. */
function Shell({ children }: { readonly children: ReactNode }): ReactNode {
  const [open, setOpen] = useState(false)
  const [location] = useLocation()
  const place = shownPlace.useAsked()
  useEffect(() => setOpen(false), [location])
  useEffect(() => {
    if (place !== undefined) setOpen(false)
  }, [place])
  return (
    <div className="flex h-full">
      <a href="#main" className="absolute -top-12 left-2 z-50 rounded bg-accent px-3 py-2 text-accent-ink focus:top-2">
        {t`Skip to the conversation`}
      </a>
      <aside
        aria-label={t`Sessions`}
        className={`${open ? 'fixed inset-y-0 left-0 z-40 flex w-72 shadow-xl' : 'hidden'} flex-col border-r border-line bg-sunken lg:static lg:flex lg:w-60 lg:shadow-none min-[90rem]:w-64`}
      >
        <SessionList />
      </aside>
      {open && (
        <button
          type="button"
          aria-label={t`Close the list of sessions`}
          className="fixed inset-0 z-30 bg-black/40 lg:hidden"
          onClick={() => setOpen(false)}
        />
      )}
      <div className="relative flex min-w-0 flex-1 flex-col">
        {/* Beside the heading of each page, which leaves room for it. */}
        <IconButton
          label={t`Show the sessions`}
          className="absolute start-1.5 top-1 z-10 lg:hidden"
          onClick={() => setOpen(true)}
        >
          <Menu size={18} aria-hidden />
        </IconButton>
        {children}
      </div>
      <Toasts />
    </div>
  )
}

/** Whether the browser has the cookie of this gateway; `unknown` until it has answered once. */
function useSignedIn(): 'yes' | 'no' | 'ended' | 'unknown' {
  const { data, error } = useResource<Status>('/api/status')
  const [isOut, setIsOut] = useState(false)
  useEffect(() => onSignedOut(() => setIsOut(true)), [])
  if (isOut || error?.status === 401) return data === undefined ? 'no' : 'ended'
  return data === undefined ? 'unknown' : 'yes'
}

const wrong = {
  message: t`This is not the token of this gateway.`,
  hint: t`Run \`foreword token\` on the machine of the gateway and copy the whole line.`,
}

/** Shown to a browser that has no cookie of this gateway. The token is sent once; the gateway answers with a cookie. */
function SignInPage({ wasIn }: { readonly wasIn: boolean }): ReactNode {
  const { error: missing } = useResource<Status>('/api/status')
  const provider = missing?.facts['signIn']
  const [token, setToken] = useState('')
  const [error, setError] = useState<Pick<ApiError, 'message' | 'hint'>>()

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const refusal = await signIn(token)
    if (refusal === undefined) location.reload()
    // An expired one is named.
    else setError(refusal.status === 401 && refusal.facts['token'] === undefined ? wrong : refusal)
  }

  return (
    <main className="mx-auto flex min-h-full max-w-md flex-col justify-center gap-4 p-6">
      <h1 className="text-2xl font-semibold">{t`Sign in to Foreword`}</h1>
      {wasIn && (
        <p role="status" className="rounded-lg border border-warn px-3 py-2 text-sm">
          {t`This browser is signed out: what it was signed in with is not valid any more. Ask the owner of this gateway if you did not expect it.`}
        </p>
      )}
      {typeof provider === 'string' && (
        <p>
          <a href={`${provider}?to=${encodeURIComponent(location.pathname)}`} className="text-accent underline">
            {t`Sign in with your account`}
          </a>
        </p>
      )}
      <p className="text-soft">
        {rich`Open the link that ${<code>foreword start</code>} prints, or paste the token. The command ${<code>foreword token</code>} shows it.`}
      </p>
      <p className="text-sm text-soft">
        {t`On somebody else's gateway, the link of an invitation signs you in, once. The owner can make another one.`}
      </p>
      <form onSubmit={(event) => void submit(event)} className="flex gap-2">
        <label className="sr-only" htmlFor="token">
          {t`Token`}
        </label>
        <input
          id="token"
          type="password"
          required
          autoFocus
          autoComplete="current-password"
          value={token}
          className="min-w-0 flex-1 rounded-lg border border-strong-line bg-raised px-3 py-2"
          onChange={(event) => setToken(event.target.value)}
        />
        <Button type="submit">{t`Sign in`}</Button>
      </form>
      {error && <ErrorNote error={error} />}
    </main>
  )
}
