import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { RefreshCw } from 'lucide-react'
import { useSWRConfig } from 'swr'
import { api } from '../api/client.ts'
import type { SetupOptions, SetupProvider } from '../api/resources.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextField } from '../parts/fields.tsx'
import { Fold } from '../parts/fold.tsx'
import { useAction } from '../parts/use-action.ts'
import { Words } from '../parts/words.tsx'
import { SetupCard } from './setup-card.tsx'
import { useChooseModel } from './use-choose-model.ts'
import { t } from '../language/language.ts'

/** A card for each provider, which opens its models, or what it needs first. Servers with its API are on its card. */
export function ModelForms({ providers }: { readonly providers: readonly SetupProvider[] }): ReactNode {
  // Providers that need nothing from the person come first.
  const sorted = providers.toSorted((one, other) => Number(isLocked(one)) - Number(isLocked(other)))
  const [opened, setOpened] = useState<string>()
  const cards = sorted
    .filter(({ kind }) => !providers.some((base) => isVariant(kind, base.kind)))
    .map((base) => [base, ...sorted.filter(({ kind }) => isVariant(kind, base.kind))] as const)
  const open = cards.find(([{ kind }]) => kind === opened)
  const forms = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // What a card opens may be below the end of the screen.
    forms.current?.firstElementChild?.scrollIntoView({ block: 'nearest' })
    forms.current?.querySelector('input')?.focus()
  }, [opened])
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-3">
        {cards.map((card) => (
          <SetupCard
            key={card[0].kind}
            title={card.length > 1 ? t`${card[0].title}, or any server` : card[0].title}
            aria-expanded={card === open}
            onClick={() => setOpened(card === open ? undefined : card[0].kind)}
          >
            {summary(card)}
          </SetupCard>
        ))}
      </div>
      <div ref={forms} className="flex flex-col gap-3 empty:hidden">
        {open?.map((provider) => (
          <ProviderSection key={provider.kind} provider={provider} />
        ))}
      </div>
    </>
  )
}

/** `openai-compatible` is a variant of `openai`. */
function isVariant(kind: string, base: string): boolean {
  return kind.startsWith(`${base}-`)
}

function isLocked({ needsKey, needsAddress }: SetupProvider): boolean {
  return needsKey || needsAddress
}

/** Names of models on a card. */
const NAMED = 3

function summary(card: readonly SetupProvider[]): string {
  const models = card.flatMap((provider) => provider.models)
  if (models.length > 0) {
    const names = models.slice(0, NAMED).map((model) => model.slice(model.indexOf('/') + 1))
    return models.length > NAMED
      ? t`Ready: ${names.join(', ')}, and ${models.length - NAMED} more`
      : t`Ready: ${names.join(', ')}`
  }
  if (card.some(({ needsAddress }) => needsAddress)) return t`Paste a key, or an address`
  return card.some(isLocked) ? t`Paste a key` : t`Not found on this machine yet`
}

function ProviderSection({ provider }: { readonly provider: SetupProvider }): ReactNode {
  const { title, website, models, why } = provider
  const id = useId()
  const { mutate } = useSWRConfig()
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2 rounded-xl border border-line bg-raised p-3.5">
      <div className="flex items-center gap-1">
        <h4 id={id} className="font-semibold">
          {title}
        </h4>
        {!isLocked(provider) && (
          <IconButton label={t`Look for ${title} again`} onClick={() => void mutate('/api/setup')}>
            <RefreshCw size={14} aria-hidden />
          </IconButton>
        )}
        {website !== undefined && (
          <a
            href={website}
            target="_blank"
            rel="noopener noreferrer"
            className="ms-auto text-sm text-accent underline underline-offset-2"
          >
            {isLocked(provider) ? t`Where do I get a key?` : t`Get ${title}`}
          </a>
        )}
      </div>
      {models.length > 0 && <ModelButtons models={models} />}
      {models.length === 0 && !isLocked(provider) && (
        <p className="text-sm text-soft">
          <Words>{why ?? t`It has no models yet.`}</Words>
        </p>
      )}
      {models.length === 0 && isLocked(provider) && <KeyForm provider={provider} />}
      {models.length > 0 && isLocked(provider) && (
        <Fold
          summaryClassName="text-sm text-soft"
          summary={provider.needsAddress ? t`Another server, address or key` : t`Another key`}
        >
          <KeyForm provider={provider} again />
        </Fold>
      )}
    </section>
  )
}

const FEW = 12

function ModelButtons({ models }: { readonly models: readonly string[] }): ReactNode {
  const [all, setAll] = useState(false)
  const { choose, busy, error } = useChooseModel()
  const shown = all ? models : models.slice(0, FEW)
  return (
    <>
      <ul className="flex flex-wrap gap-2">
        {shown.map((model) => (
          <li key={model}>
            <Button look="plain" disabled={busy} onClick={() => void choose(model)}>
              {model}
            </Button>
          </li>
        ))}
        {models.length > shown.length && (
          <li>
            <Button look="plain" onClick={() => setAll(true)}>
              {t`${models.length - shown.length} more`}
            </Button>
          </li>
        )}
      </ul>
      {error && <ErrorNote error={error} />}
    </>
  )
}

interface AttachedModels {
  readonly models: readonly string[]
}

interface KeyFormProps {
  readonly provider: SetupProvider
  /** A model is attached already: this replaces it, or attaches a server beside it. */
  readonly again?: boolean
}

function KeyForm({ provider, again = false }: KeyFormProps): ReactNode {
  const { kind, title, needsKey, needsAddress } = provider
  const { mutate } = useSWRConfig()
  const { choose } = useChooseModel()
  const [key, setKey] = useState('')
  const [address, setAddress] = useState('')
  const [name, setName] = useState<string>(again && needsAddress ? '' : kind)
  const [attached, setAttached] = useState<number>()
  const { busy, error, act } = useAction()

  const attach = (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setAttached(undefined)
    return act(async () => {
      const body = { kind, name, ...(key === '' ? {} : { key }), ...(address === '' ? {} : { baseURL: address }) }
      const { models } = await api<AttachedModels>('/api/setup/providers', { method: 'POST', body })
      setAttached(models.length)
      setKey('')
      const setup = await mutate<SetupOptions>('/api/setup')
      // The open conversation goes on with it at once, where nothing else is attached.
      if (setup?.ready === false && models[0] !== undefined) await choose(models[0])
    })
  }

  return (
    <form className="flex flex-col gap-2" onSubmit={(event) => void attach(event)}>
      {needsAddress && again && (
        <TextField
          label={t`Name`}
          hint={t`Its models are called NAME/MODEL. The name of a server that is attached, such as ${kind}, changes that server.`}
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      {needsAddress && (
        <TextField
          label={t`Address`}
          placeholder="http://127.0.0.1:1234/v1"
          required
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
      )}
      <TextField
        label={needsKey ? t`Key of ${title}` : t`Key, if it needs one`}
        type="password"
        autoComplete="off"
        required={needsKey}
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <div>
        <Button type="submit" look="plain" disabled={busy}>
          {busy ? t`Asking the server …` : t`Attach`}
        </Button>
      </div>
      {attached !== undefined && (
        <p role="status" className="text-sm text-soft">
          {attached === 1 ? t`Attached, with one model.` : t`Attached, with ${attached} models.`}
        </p>
      )}
      {error && <ErrorNote error={error} />}
    </form>
  )
}
