import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'

export interface Tab {
  readonly id: string
  readonly title: string
  readonly content: ReactNode
}

interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly value?: string
  onChange?(id: string): void
}

/** Pages behind a row of titles: arrow keys, Home and End go from one to another. Only the chosen one is mounted. */
export function Tabs({ label, tabs, value, onChange }: TabsProps): ReactNode {
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

  return (
    <div className="flex min-h-0 flex-col">
      <div
        role="tablist"
        aria-label={label}
        className="flex flex-wrap gap-x-1 border-b border-line"
        onKeyDown={onKeyDown}
      >
        {tabs.map(({ id, title }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${name}-${id}`}
            aria-selected={id === chosen}
            aria-controls={id === chosen ? name : undefined}
            tabIndex={id === chosen ? 0 : -1}
            className="border-b-2 border-transparent px-3 py-1.5 text-sm whitespace-nowrap text-soft aria-selected:border-accent aria-selected:text-ink"
            onClick={() => choose(id)}
          >
            {title}
          </button>
        ))}
      </div>
      <div
        key={chosen}
        role="tabpanel"
        id={name}
        tabIndex={0}
        aria-labelledby={`${name}-${chosen}`}
        className="min-h-0 flex-1 overflow-y-auto py-3"
      >
        {tabs.find(({ id }) => id === chosen)?.content}
      </div>
    </div>
  )
}
