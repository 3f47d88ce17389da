import { ChevronDown, Ellipsis } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { Menu, MenuItem } from './menu.tsx'
import { t } from '../language/language.ts'

export interface Tab {
  readonly id: string
  readonly title: string
  readonly content: ReactNode
}

interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
  /** Pages that are reached from a menu behind the titles. */
  readonly more?: readonly Tab[]
  readonly value?: string
  onChange?(id: string): void
}

/** Pages behind a row of titles: arrow keys, Home and End go from one to another. Only the chosen one is mounted. */
export function Tabs({ label, tabs, more = [], value, onChange }: TabsProps): ReactNode {
  const name = useId()
  const [own, setOwn] = useState(tabs[0]?.id)
  const chosen = value ?? own

  const choose = (id: string): void => {
    setOwn(id)
    if (id !== chosen) onChange?.(id)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const at = tabs.findIndex(({ id }) => id === chosen)
    const target = { ArrowLeft: at - 1, ArrowRight: (at + 1) % tabs.length, Home: 0, End: -1 }
    if (!Object.hasOwn(target, event.key)) return
    event.preventDefault()
    const index = target[event.key as keyof typeof target]
    choose(tabs.at(index)!.id)
    ;(event.currentTarget.children.item((index + tabs.length) % tabs.length) as HTMLElement).focus()
  }

  const other = more.find(({ id }) => id === chosen)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-wrap items-end justify-between border-b border-line">
        <div role="tablist" aria-label={label} className="flex min-w-0" onKeyDown={onKeyDown}>
          {tabs.map(({ id, title }) => (
            <button
              key={id}
              type="button"
              role="tab"
              id={`${name}-${id}`}
              aria-selected={id === chosen}
              aria-controls={id === chosen ? name : undefined}
              tabIndex={id === chosen || (other && id === tabs[0]!.id) ? 0 : -1}
              className="border-b-2 border-transparent px-1.5 py-1.5 text-sm whitespace-nowrap xl:px-1 min-[90rem]:px-2 text-soft aria-selected:border-accent aria-selected:text-ink"
              onClick={() => choose(id)}
            >
              {title}
            </button>
          ))}
        </div>
        {more.length > 0 && (
          <Menu
            trigger={
              <button
                type="button"
                id={`${name}-more`}
                title={t`More`}
                className={`flex items-center gap-1 border-b-2 ps-1 py-1.5 whitespace-nowrap text-sm ${other ? 'border-accent text-ink' : 'border-transparent text-soft'}`}
              >
                {other?.title ?? <span className="sr-only">{t`More`}</span>}
                {other ? <ChevronDown size={14} aria-hidden /> : <Ellipsis size={18} aria-hidden />}
              </button>
            }
          >
            {more.map(({ id, title }) => (
              <MenuItem key={id} checked={id === chosen} onSelect={() => choose(id)}>
                {title}
              </MenuItem>
            ))}
          </Menu>
        )}
      </div>
      <div
        key={chosen}
        role="tabpanel"
        id={name}
        tabIndex={0}
        aria-labelledby={other ? `${name}-more` : `${name}-${chosen}`}
        className="min-h-0 flex-1 overflow-y-auto py-3"
      >
        {(other ?? tabs.find(({ id }) => id === chosen))?.content}
      </div>
    </div>
  )
}
