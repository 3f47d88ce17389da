import { Check, Columns2, Star } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useMay } from '../api/caller.ts'
import { type ModelList, useResource } from '../api/resources.ts'
import { closeFloating } from '../parts/floating.tsx'
import { focusMessage } from '../parts/focus-message.ts'
import { IconButton } from '../parts/button.tsx'
import { abilities } from '../parts/model-badges.tsx'
import { limit, shortCount } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import { Words } from '../parts/words.tsx'
import { t } from '../language/language.ts'

type Model = ModelList['models'][number]

interface ModelPickerProps {
  /** Absent: the session uses the model of the home. */
  readonly chosen: string | undefined
  /** The model of the home. */
  readonly usual: string | undefined
  /** The second model of the next message. */
  readonly beside: string | undefined
  onBeside(model: string | undefined): void
  /** An empty text: the model of the home. */
  onChoose(model: string): Promise<void>
}

/** The models by their providers, found by words, with what each can do and costs. Favourites of this browser come first, and last what cannot be used, with the reason. */
export default function ModelPicker({ chosen, usual, beside, onChoose, onBeside }: ModelPickerProps): ReactNode {
  const { data } = useResource<ModelList>('/api/models', { revalidateOnFocus: false })
  const isOwner = useMay('admin')
  const [words, setWords] = useState('')
  const [favourites, setFavourites] = useState(readFavourites)
  const search = useRef<HTMLInputElement>(null)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => search.current?.focus({ preventScroll: true }), [])

  const choose = (model: string): void => {
    closeFloating(box.current!)
    focusMessage()
    if ((model || usual) === beside) onBeside(undefined)
    void onChoose(model)
  }
  const ask = (model: string): void => {
    closeFloating(box.current!)
    focusMessage()
    onBeside(model === beside ? undefined : model)
  }
  const star = (id: string): void => {
    const next = favourites.includes(id) ? favourites.filter((each) => each !== id) : [...favourites, id]
    localStorage.setItem(FAVOURITES, JSON.stringify(next))
    setFavourites(next)
  }
  const found = (data?.models ?? []).filter(
    ({ id, ready, facts }) =>
      (ready || isOwner) &&
      words.split(/\s+/).every((word) => `${id} ${facts?.name ?? ''}`.toLowerCase().includes(word.toLowerCase())),
  )
  const groups = modelGroups(found, favourites, chosen ?? usual)
  const first = groups[0]?.models.find(({ ready }) => ready)

  /** The arrows go through the rows, from the field and back. */
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const stops = [search.current!, ...box.current!.querySelectorAll<HTMLElement>('[data-model]:enabled')]
    const at = stops.indexOf(document.activeElement as HTMLElement)
    stops[Math.max(0, Math.min(at + step, stops.length - 1))]?.focus()
  }

  return (
    <div ref={box} className="flex flex-col gap-2" onKeyDown={onKeyDown}>
      <input
        ref={search}
        type="search"
        aria-label={t`Search models`}
        placeholder={t`Search models`}
        value={words}
        className="w-full rounded-lg border border-strong-line bg-ground px-2 py-1.5 text-sm"
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || first === undefined) return
          // The field for the message gets the focus, and not the line end.
          event.preventDefault()
          choose(first.id)
        }}
      />
      {data === undefined && <Spinner />}
      <ul aria-label={t`Models`} className="flex flex-col">
        {words === '' && usual !== undefined && chosen !== undefined && (
          <Row id={usual} title={t`The usual model`} about={usual} chosen={false} onChoose={() => choose('')} />
        )}
        {groups.map(({ title, models, isMixed }) => (
          <li key={title}>
            <h3 className="px-2 pt-2 pb-0.5 text-xs font-semibold text-soft">{title}</h3>
            <ul aria-label={title} className="flex flex-col">
              {models.map((model) => (
                <Row
                  key={model.id}
                  id={model.id}
                  title={model.facts?.name ?? (isMixed ? model.id : shortName(model.id))}
                  about={model.ready ? <Abilities model={model} isMixed={isMixed} /> : <Words>{model.why ?? ''}</Words>}
                  chosen={model.id === (chosen ?? usual)}
                  disabled={!model.ready}
                  onChoose={() => choose(model.id)}
                  favourite={favourites.includes(model.id)}
                  onStar={() => star(model.id)}
                  beside={model.id === beside}
                  onBeside={model.id === (chosen ?? usual) ? undefined : () => ask(model.id)}
                />
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {data !== undefined && found.length === 0 && <p className="text-sm text-soft">{t`No model has that name.`}</p>}
      <p className="flex flex-wrap justify-between gap-x-4 px-2 text-xs text-soft">
        {t`Prices are those of a million tokens.`}
        {isOwner && (
          <a href="/settings/models" className="text-accent underline underline-offset-2">
            {t`Attach another model`}
          </a>
        )}
      </p>
    </div>
  )
}

interface RowProps {
  readonly id: string
  readonly title: string
  readonly about: ReactNode
  readonly chosen: boolean
  readonly disabled?: boolean
  readonly favourite?: boolean
  onChoose(): void
  onStar?(): void
  readonly beside?: boolean
  readonly onBeside?: (() => void) | undefined
}

function Row({
  id,
  title,
  about,
  chosen,
  disabled,
  favourite = false,
  onChoose,
  onStar,
  beside = false,
  onBeside,
}: RowProps): ReactNode {
  return (
    <li className="group flex items-center">
      <button
        type="button"
        data-model
        disabled={disabled}
        title={id}
        aria-current={chosen ? 'true' : undefined}
        className="flex min-w-0 flex-1 items-center gap-2 rounded-lg px-2 py-1.5 text-start enabled:hover:bg-line"
        onClick={onChoose}
      >
        <span className="min-w-0 flex-1">
          <span className={`block wrap-anywhere ${disabled ? 'text-soft' : 'font-medium'}`}>{title}</span>
          <span className="block text-xs text-soft">{about}</span>
        </span>
        {chosen && <Check size={15} className="shrink-0 text-accent" aria-hidden />}
      </button>
      {onBeside && !disabled && (
        <IconButton label={t`Ask ${id} as well`} aria-pressed={beside} className={ON_HOVER} onClick={onBeside}>
          <Columns2 size={14} aria-hidden />
        </IconButton>
      )}
      {onStar && !disabled && (
        <IconButton label={t`Favourite: ${id}`} aria-pressed={favourite} className={ON_HOVER} onClick={onStar}>
          <Star size={14} fill={favourite ? 'currentColor' : 'none'} aria-hidden />
        </IconButton>
      )}
    </li>
  )
}

/** What can be done with a row is seen when one is at it, and where no pointer hovers. */
const ON_HOVER =
  '[@media(hover:hover)]:opacity-0 group-hover:opacity-100 group-focus-within:opacity-100 aria-pressed:opacity-100'

const FAVOURITES = 'foreword-favourite-models'

function readFavourites(): readonly string[] {
  try {
    return JSON.parse(localStorage.getItem(FAVOURITES) ?? '[]') as readonly string[]
  } catch {
    return []
  }
}

interface ModelGroup {
  readonly title: string
  readonly models: readonly Model[]
  /** Of several providers, so that each is named by its whole id. */
  readonly isMixed: boolean
}

/** Favourites, then the model in use with the others of its provider, then the other providers, and at the end what cannot be used. */
function modelGroups(
  found: readonly Model[],
  favourites: readonly string[],
  used: string | undefined,
): readonly ModelGroup[] {
  const ready = found.filter((model) => model.ready)
  const [starred, others] = [true, false].map((is) => ready.filter(({ id }) => favourites.includes(id) === is))
  const rank = ({ models }: ModelGroup): number => (models.some(({ id }) => id === used) ? 0 : 1)
  const byProvider = [...Map.groupBy(others!, ({ provider }) => provider)]
    .map(([title, models]) => ({
      title,
      models: models.toSorted((one, other) => Number(other.id === used) - Number(one.id === used)),
      isMixed: false,
    }))
    .toSorted((one, other) => rank(one) - rank(other))
  const unusable = found.filter((model) => !model.ready)
  return [
    { title: t`Favourites`, models: starred!, isMixed: true },
    ...byProvider,
    { title: t`Cannot be used`, models: unusable, isMixed: true },
  ].filter(({ models }) => models.length > 0)
}

function shortName(id: string): string {
  return id.slice(id.indexOf('/') + 1)
}

/** What a model costs for a million tokens, its window, and what it can do. */
function Abilities({ model, isMixed }: { readonly model: Model; readonly isMixed: boolean }): ReactNode {
  const { id, facts, window } = model
  const price = facts?.price
  return [
    ...(isMixed && facts?.name !== undefined ? [id] : []),
    ...(price ? [t`${limit(price.input)} in, ${limit(price.output)} out`] : []),
    ...(facts?.free ? [t`free`] : []),
    window === undefined ? t`window not known` : t`${shortCount(window)} tokens`,
    ...abilities(model),
  ].join(' · ')
}
