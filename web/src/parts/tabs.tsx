import { Tabs as RadixTabs } from 'radix-ui'
import type { ReactNode } from 'react'

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

/** Pages behind a row of titles. Only the chosen one is mounted. */
export function Tabs({ label, tabs, value, onChange }: TabsProps): ReactNode {
  return (
    <RadixTabs.Root
      defaultValue={tabs[0]?.id}
      {...(value === undefined ? {} : { value })}
      {...(onChange ? { onValueChange: onChange } : {})}
      className="flex min-h-0 flex-col"
    >
      <RadixTabs.List aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map(({ id, title }) => (
          <RadixTabs.Trigger
            key={id}
            value={id}
            className="border-b-2 border-transparent px-3 py-1.5 text-sm whitespace-nowrap text-soft data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {title}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {tabs.map(({ id, content }) => (
        <RadixTabs.Content key={id} value={id} className="min-h-0 flex-1 overflow-y-auto py-3">
          {content}
        </RadixTabs.Content>
      ))}
    </RadixTabs.Root>
  )
}
