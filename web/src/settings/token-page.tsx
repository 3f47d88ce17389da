import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { TOKEN_FACTS, type TokenFacts } from '../api/caller.ts'
import { useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { CopyLine } from '../parts/copy-text.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { OwnChats } from './token-chats.tsx'
import { NamedTokens, scopeTitle } from './token-named.tsx'
import { useAction } from '../parts/use-action.ts'
import { Confirmation } from '../parts/dialog.tsx'
import { timeText } from '../parts/numbers.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'

/** Who gets in: this browser, others with a named token, and the token of the owner, which is never shown. */
export default function TokenPage(): ReactNode {
  const { data, error, mutate } = useResource<TokenFacts>(TOKEN_FACTS)
  if (error && data === undefined) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  if (data.caller.person !== undefined) return <Account {...data.caller} person={data.caller.person} />
  return (
    <div className="flex flex-col gap-6">
      <p className="text-soft">
        {t`Browsers and programs need a token to use this gateway. No page shows the owner's.`}
      </p>
      {!data.needed && <p>{t`This gateway asks for no token: everybody on this machine may use it.`}</p>}
      {data.needed && <SignOut {...data.caller} />}
      {data.needed && data.caller.scope === 'admin' && (
        <>
          <NamedTokens />
          <p className="text-sm">
            {data.made === undefined
              ? t`A token of the owner is set.`
              : rich`A token of the owner is set. It was stored on ${<time dateTime={data.made}>{timeText(data.made)}</time>}.`}
          </p>
          <StartLink />
          <Replacement canReplace={data.canReplace} onReplaced={() => void mutate()} />
        </>
      )}
    </div>
  )
}

/** Who a person is here, and what they may do. */
function Account(caller: SignOutProps & { readonly person: string }): ReactNode {
  return (
    <div className="flex flex-col gap-6">
      <p className="text-soft">
        {t`You are ${caller.person} on this gateway. What you say is kept in a home of your own, which no other person sees; the owner of the gateway runs the machine that it is on.`}
      </p>
      <p className="text-sm">
        {caller.scope === 'approve'
          ? t`You may talk, and decide about calls of tools that wait for a decision.`
          : t`You may talk. Calls of tools that wait for a decision are not yours to allow.`}{' '}
        {t`Models, tools and limits are set by the owner.`}
      </p>
      {caller.scope === 'approve' && <OwnChats />}
      <SignOut {...caller} />
    </div>
  )
}

function StartLink(): ReactNode {
  return (
    <section aria-label={t`Your other browsers`} className="flex flex-col gap-2">
      <h2 className="text-lg font-semibold">{t`Your other browsers`}</h2>
      <p className="text-sm text-soft">
        {t`This command on the machine of the gateway prints the link with the token of the owner.`}
      </p>
      <CopyLine text="foreword token" />
    </section>
  )
}

function Replacement({ canReplace, onReplaced }: { readonly canReplace: boolean; onReplaced(): void }): ReactNode {
  const [state, setState] = useState<'idle' | 'asks' | 'done'>('idle')
  const { busy, error, act } = useAction()
  const replace = (): Promise<void> =>
    act(async () => {
      await api('/api/token/replace', { method: 'POST' })
      setState('done')
      onReplaced()
    })
  return (
    <section aria-label={t`Another token of the owner`} className="flex flex-col gap-2 text-sm">
      <h2 className="text-lg font-semibold">{t`Another token of the owner`}</h2>
      {error && <ErrorNote error={error} />}
      {!canReplace && (
        <p className="text-soft">
          {t`The configuration sets the token. Change gateway.token or FOREWORD_GATEWAY_TOKEN and restart.`}
        </p>
      )}
      {canReplace && state === 'done' && (
        <p role="status" className="text-good">
          {t`A new token is set. This browser stays signed in; all others and every program need the new one.`}
        </p>
      )}
      {canReplace && state !== 'asks' && (
        <div>
          <Button look="plain" onClick={() => setState('asks')}>
            {t`Make a new token`}
          </Button>
        </div>
      )}
      {state === 'asks' && (
        <Confirmation
          action={t`Replace the token`}
          busy={busy}
          onConfirm={() => void replace()}
          onCancel={() => setState('idle')}
        >
          {t`Signs out every other browser and program with the owner's token. It cannot be undone; tokens for others stay valid.`}
        </Confirmation>
      )}
    </section>
  )
}

type SignOutProps = TokenFacts['caller']

function SignOut({ name, scope, person }: SignOutProps): ReactNode {
  const { error, act } = useAction()
  const leave = (): Promise<void> =>
    act(async () => {
      await api('/api/logout', { method: 'POST' })
      location.reload()
    })
  return (
    <section aria-label={t`This browser`} className="flex flex-col gap-2 text-sm">
      <h2 className="text-lg font-semibold">{t`This browser`}</h2>
      <p>
        {person !== undefined && name === person
          ? t`It is signed in as ${person}, for 30 days at most.`
          : name === undefined
            ? t`It is signed in with the token of the owner, for 30 days at most.`
            : t`It is signed in with the token ${name}, which ${scopeTitle(scope)}, for 30 days at most.`}
      </p>
      {error && <ErrorNote error={error} />}
      <div>
        <Button look="plain" onClick={() => void leave()}>
          {t`Sign out`}
        </Button>
      </div>
    </section>
  )
}
