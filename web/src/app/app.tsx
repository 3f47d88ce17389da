import { lazy, type ReactNode, Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { Loading } from '../api/underway.ts'
import { ChatPage } from '../chat/chat-page.tsx'
import { SessionPage } from './session-page.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { Shell } from './shell.tsx'
import { SignInPage } from './sign-in-page.tsx'
import { useSignedIn } from './use-signed-in.ts'

const SettingsPage = lazy(() => import('../settings/settings-page.tsx'))

/** Every page below its address. The gateway serves the same document at each of these paths. */
export function App(): ReactNode {
  const signedIn = useSignedIn()
  if (signedIn === 'no') return <SignInPage />
  return (
    <Shell>
      <Suspense fallback={<Loading />}>
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
      </Suspense>
      <Shortcuts />
    </Shell>
  )
}
