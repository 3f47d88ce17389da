import type { ComponentProps, ReactNode } from 'react'

interface SetupCardProps extends Omit<ComponentProps<'button'>, 'title'> {
  readonly title: string
}

/** A thing to begin with: its name, and a few words below. */
export function SetupCard({ title, children, ...rest }: SetupCardProps): ReactNode {
  return (
    <button
      type="button"
      className="flex flex-col gap-0.5 rounded-xl border border-line bg-raised px-3.5 py-3 text-start leading-snug hover:border-strong-line disabled:opacity-50 aria-expanded:border-accent"
      {...rest}
    >
      <span className="font-semibold">{title}</span>
      <span className="text-sm text-soft">{children}</span>
    </button>
  )
}
